package main

import (
	"net/url"
	"strings"
)

// noPartition is what Hive, Spark and DuckDB write for a value that is not known.
const noPartition = "__HIVE_DEFAULT_PARTITION__"

// partition names the folder of a partition as Hive does: key=value. What a path or a pattern
// takes for something else is percent-encoded.
func partition(key, value string) string {
	if value == "" {
		return key + "=" + noPartition
	}
	return key + "=" + strings.ReplaceAll(url.QueryEscape(value), "+", "%20")
}
