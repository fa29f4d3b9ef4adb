package treejson

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"poolproof/core/fairshare"
	"poolproof/core/resource"
)

// An attribute is one field of a node's results. Its value is a string, a
// number, a vector or a list of attributes.
type attribute struct {
	name  string
	value any
}

// WriteResults writes the results of a tree as a line of JSON.
func (in *Tree) WriteResults(out *bufio.Writer, compact bool) {
	out.WriteString(`{"id":`)
	writeJSON(out, in.id)
	out.WriteString(`,"status":"ok","errors":[`)
	for i, e := range in.tree.Errors() {
		if i > 0 {
			out.WriteByte(',')
		}
		in.writeError(out, e)
	}
	out.WriteString(`],"nodes":[`)
	for i := range in.nodes {
		if i > 0 {
			out.WriteByte(',')
		}
		writeAttributes(out, in.attributes(i), compact)
	}
	out.WriteString("]}\n")
}

// attributes returns everything that is published of a node.
func (in *Tree) attributes(i int) []attribute {
	r := in.tree.Result(in.elements[i])
	list := []attribute{
		{"id", in.nodes[i].id},
		{"dominant_resource", r.Dominant.String()},
		{"demand_share", r.DemandShare},
		{"usage_share", r.UsageShare},
		{"limits_share", r.LimitsShare},
		{"effective_strong_guarantee_resources", r.EffectiveGuarantee},
		{"strong_guarantee_share", r.StrongShare},
		{"proposed_integral_share", r.Proposed},
		{"promised_fair_share", r.Promised},
		{"estimated_guarantee_share", r.Estimated},
		{"fair_share", parts(r.FairShare)},
		{"promised_guarantee_fair_share", parts(r.PromisedGuarantee)},
	}
	if g := r.Integral; g != nil {
		list = append(list,
			attribute{"burst_ratio", g.Burst},
			attribute{"total_burst_ratio", g.TotalBurst},
			attribute{"resource_flow_ratio", g.Flow},
			attribute{"total_resource_flow_ratio", g.TotalFlow},
			attribute{"volume_overflow", resource.Share(g.Overflow.Natural())},
			attribute{"acceptable_volume", resource.Share(g.Acceptable.Natural())},
			attribute{"accepted_free_volume", resource.Share(g.Accepted.Natural())},
			attribute{"children_volume_overflow", resource.Share(g.ChildrenOverflow.Natural())},
		)
		if in.nodes[i].kind == kindPool {
			list = append(list,
				attribute{"accumulated_volume", resource.Share(g.Volume.Natural())},
				attribute{"last_share_ratio", g.LastShareRatio},
			)
		}
	}
	if r.FIFOIndex >= 0 {
		list = append(list, attribute{"fifo_index", float64(r.FIFOIndex)})
	}
	return list
}

func parts(s fairshare.Shares) []attribute {
	return []attribute{
		{"strong_guarantee", s.Strong},
		{"integral_guarantee", s.Integral},
		{"weight_proportional", s.Weight},
		{"total", s.Total},
	}
}

// writeAttributes writes attributes as an object, without zeros if compact.
func writeAttributes(out *bufio.Writer, list []attribute, compact bool) {
	separator := byte('{')
	for _, a := range list {
		if compact && isZero(a.value) {
			continue
		}
		out.WriteByte(separator)
		separator = ','
		out.WriteString(strconv.Quote(a.name))
		out.WriteByte(':')
		switch v := a.value.(type) {
		case string:
			writeJSON(out, v)
		case float64:
			writeReal(out, v)
		case resource.Share:
			writeVector(out, func(k int) { writeReal(out, v[k]) })
		case resource.Vector:
			writeVector(out, func(k int) { writeAmount(out, v, resource.Kind(k)) })
		case []attribute:
			writeAttributes(out, v, compact)
		}
	}
	if separator == '{' {
		out.WriteByte('{')
	}
	out.WriteByte('}')
}

// isZero reports whether a value says as much by its absence.
func isZero(value any) bool {
	switch v := value.(type) {
	case float64:
		return v == 0
	case resource.Share:
		return v == resource.Share{}
	case resource.Vector:
		return v.IsZero()
	case []attribute:
		for _, a := range v {
			if !isZero(a.value) {
				return false
			}
		}
		return true
	}
	return false
}

func writeVector(out *bufio.Writer, component func(k int)) {
	for k := range resource.Kinds {
		out.WriteByte("[,"[min(k, 1)])
		component(k)
	}
	out.WriteByte(']')
}

// writeAmount writes an amount in the kind's natural unit.
func writeAmount(out *bufio.Writer, v resource.Vector, k resource.Kind) {
	if k == resource.CPU {
		writeReal(out, v.Real(k))
		return
	}
	out.WriteString(strconv.FormatInt(v[k], 10))
}

// writeReal writes the shortest number that reads back as x.
func writeReal(out *bufio.Writer, x float64) {
	if x == 0 {
		out.WriteByte('0')
		return
	}
	out.Write(strconv.AppendFloat(out.AvailableBuffer(), x, 'g', -1, 64))
}

func writeJSON(out *bufio.Writer, value any) {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		line.Reset()
		line.WriteString("null")
	}
	out.Write(bytes.TrimRight(line.Bytes(), "\n"))
}

// poolsKeys names the attribute with the pools of an error, by its code.
var poolsKeys = map[int]string{
	fairshare.CodeNestedPromised: "nested_promised_fair_share_pools",
	fairshare.CodeWithoutDonor:   "priority_pools_without_donors",
}

// writeError writes an error that the update reports and lives with.
func (in *Tree) writeError(out *bufio.Writer, e *fairshare.UpdateError) {
	fmt.Fprintf(out, `{"code":%d,"message":%q,"attributes":`, e.Code, e.Message)
	if key, ok := poolsKeys[e.Code]; ok {
		names := make([]string, len(e.Pools))
		for i, p := range e.Pools {
			names[i] = in.nodes[in.indexes[p]].id
		}
		fmt.Fprintf(out, `{"%s":`, key)
		writeJSON(out, names)
		out.WriteString("}}")
		return
	}
	name := "total_resource_flow"
	if e.Burst {
		name = "total_burst_resources"
	}
	writeAttributes(out, []attribute{
		{"total_strong_guarantee_resources", e.Strong}, {name, e.Integral}, {"total_cluster_resources", e.Total},
	}, false)
	out.WriteByte('}')
}

// The code of errors that refuse a tree.
const codeRefused = 1

// WriteRefusal writes, in place of the results of line number, why there are none.
func (in *Tree) WriteRefusal(out *bufio.Writer, number int, err error) {
	attributes := map[string]any{"line": number}
	var refused *fairshare.RefusedError
	if errors.As(err, &refused) {
		attributes["node"], attributes["rule"] = refused.Name, refused.Rule
	}
	writeJSON(out, struct {
		ID     any    `json:"id"`
		Status string `json:"status"`
		Errors []any  `json:"errors"`
		Nodes  []any  `json:"nodes"`
	}{in.id, "abort", []any{map[string]any{"code": codeRefused, "message": err.Error(), "attributes": attributes}}, []any{}})
	out.WriteByte('\n')
}
