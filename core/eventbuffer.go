package core

// An EventBuffer holds copies of events with all that is valid only until the stream's next
// event. It is reused.
type EventBuffer struct {
	Events []Event

	text        []byte
	preemptions []PreemptionRecord
	params      []OperationParams
	trees       []TreeRecord
	pools       []PoolRecord
	operations  []OperationRecord
	volumes     []VolumeRecord
}

// Add copies an event to the end of Events.
func (b *EventBuffer) Add(e *Event) {
	b.Events = append(b.Events, *e)
	own := &b.Events[len(b.Events)-1]
	own.Name, own.Predecessor = b.copyText(e.Name), b.copyText(e.Predecessor)
	own.Preemption = copyTo(&b.preemptions, e.Preemption)
	own.Params = copyTo(&b.params, e.Params)
	own.TreeRecord = copyTo(&b.trees, e.TreeRecord)
	own.PoolRecord = copyTo(&b.pools, e.PoolRecord)
	own.OperationRecord = copyTo(&b.operations, e.OperationRecord)
	own.VolumeRecord = copyTo(&b.volumes, e.VolumeRecord)
}

// Reset drops the events. Their memory serves those to come.
func (b *EventBuffer) Reset() {
	b.Events, b.text = b.Events[:0], b.text[:0]
	b.preemptions, b.params = b.preemptions[:0], b.params[:0]
	b.trees, b.pools, b.operations, b.volumes = b.trees[:0], b.pools[:0], b.operations[:0], b.volumes[:0]
}

func (b *EventBuffer) copyText(text []byte) []byte {
	if text == nil {
		return nil
	}
	from := len(b.text)
	b.text = append(b.text, text...)
	return b.text[from:len(b.text):len(b.text)]
}

// copyTo copies a value to the end of a list.
func copyTo[T any](list *[]T, value *T) *T {
	if value == nil {
		return nil
	}
	*list = append(*list, *value)
	return &(*list)[len(*list)-1]
}

// Clone returns a copy of the event that stays valid.
func (e *Event) Clone() Event {
	var b EventBuffer
	b.Add(e)
	return b.Events[0]
}
