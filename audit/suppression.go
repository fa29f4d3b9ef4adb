package audit

// A Suppression is a rule of the policy that takes findings out of the verdict:
// they are still listed, with who answers for it, why and until when.
type Suppression struct {
	Owner  string `json:"owner"`
	Reason string `json:"reason"`
	Until  string `json:"until"` // last day on which it applies, YYYY-MM-DD, in the log's time
}
