package replay

import (
	"cmp"
	"slices"
	"strings"
	"unsafe"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

// A nodeTrack is the open span in which a node serves with constant resources, tags and
// segment.
type nodeTrack struct {
	open    bool
	clipped bool
	from    core.Time
	limits  resource.Vector
	tags    pooltree.Tags
	segment string
	ssd     bool

	undescribed bool
}

// is reports whether a node is as it was when the span opened.
func (t *nodeTrack) is(n *core.Node) bool {
	same := len(n.Tags) == len(t.tags) && unsafe.SliceData(n.Tags) == unsafe.SliceData(t.tags) // as a rule: then nothing is read of them
	return n.Online && n.Undescribed == t.undescribed && n.Limits == t.limits && n.Segment == t.segment && (same || slices.Equal(n.Tags, t.tags))
}

// settleNode records a node's presence and size, and judges its capacity.
func (r *recorder) settleNode(slot int32, now core.Time) {
	n, track := r.Core.Node(slot), &r.nodes[slot]
	if track.open && !track.is(n) {
		r.closeNode(slot, now, false)
	}
	if !track.open && n.Online {
		*track = nodeTrack{open: true, clipped: !r.Begun, from: now, limits: n.Limits, tags: n.Tags, segment: n.Segment,
			ssd: r.Core.IsSSDNode(slot), undescribed: n.Undescribed}
	}
	r.limits.CheckNode(slot, n, now)
}

func compareNodes(a, b *tables.Node) int { return cmp.Compare(a.Node, b.Node) }

func (r *recorder) closeNode(slot int32, now core.Time, clipped bool) {
	track := &r.nodes[slot]
	if !track.open {
		return
	}
	track.open = false
	if track.from < now {
		r.nodeRows.Add(now, &tables.Node{
			Node: r.Core.Node(slot).ID, FromTime: track.from, ToTime: now,
			ClippedFrom: track.clipped, ClippedTo: clipped, Limits: track.limits,
			Tags: strings.Join(track.tags, ","), Segment: track.segment, Undescribed: track.undescribed, SSD: track.ssd,
		})
	}
}
