package poolconf

import (
	"fmt"
	"strings"

	"poolproof/core/pooltree"
	"poolproof/core/resource"
)

// A Node is a node that a configuration lists, so that what its trees claim and
// promise can be held against what there is.
type Node struct {
	Name   string
	Line   int
	Online bool
	Tags   pooltree.Tags
	Limits resource.Partial // resource_limits: what it has
}

// nodesKey is the key of a file that lists nodes. An import takes its nodes from
// the log and only checks them.
const nodesKey = "nodes"

// ParseNodes reads a map of nodes by name: the nodes of a cluster as `yt get
// //sys/cluster_nodes --format json` exports them with the attributes tags,
// resource_limits and state, or these attributes directly.
func ParseNodes(file string, b []byte) ([]Node, error) {
	n, err := parseAny(file, b)
	if err != nil {
		return nil, err
	}
	if _, value := n.unwrap(); value != n {
		n = value
	}
	return readNodes(n)
}

func readNodes(n *node) ([]Node, error) {
	if n.kind != mapping {
		return nil, n.errorf("%s must be a map from names to tags and resource_limits", nodesKey)
	}
	var nodes []Node
	for i, key := range n.keys {
		attributes, value := n.values[i].unwrap()
		if attributes == nil {
			attributes = value
		}
		if attributes.kind != mapping && attributes.kind != null {
			return nil, attributes.errorf("node %s must be a map of tags and resource_limits", key.text)
		}
		node := Node{Name: unescape(key.text), Line: key.line, Online: true}
		if err := node.read(attributes); err != nil {
			return nil, err
		}
		nodes = append(nodes, node)
	}
	return nodes, nil
}

// read reads the attributes of a node. Others than these are of no interest.
func (o *Node) read(n *node) error {
	if state := n.valueOf("state"); state != nil && state.kind == scalar {
		o.Online = state.text == "online"
	}
	if tags := n.valueOf("tags"); tags != nil && tags.kind != null {
		switch tags.kind {
		case list:
			var names []string
			for _, v := range tags.values {
				names = append(names, v.text)
			}
			o.Tags = pooltree.NewTags(names...)
		case scalar:
			names := strings.FieldsFunc(tags.text, func(r rune) bool { return r == ',' || r == ' ' })
			o.Tags = pooltree.NewTags(names...)
		default:
			return tags.errorf("the tags of node %s must be a list", o.Name)
		}
	}
	limits := n.valueOf("resource_limits")
	if limits == nil || limits.kind == null {
		return nil
	}
	c, wrong := pooltree.ParsePool(pooltree.Documented, pooltree.Attributes{"resource_limits": limits.json()})
	if len(wrong) > 0 {
		return limits.errorf("node %s: %s", o.Name, fmt.Sprint(wrong[0]))
	}
	o.Limits = c.ResourceLimits
	return nil
}
