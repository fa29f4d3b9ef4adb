package audit

import "fmt"

// compare gives the findings their status against an earlier verdict, and lists
// what that one found and this one does not. What a tree's audit could not judge
// is not fixed: that is said instead.
func (v *Verdict) compare(base *Verdict) {
	v.Baseline = &Baseline{Profile: base.Profile, From: base.From, To: base.To}
	before := map[string]int{} // the worst rank of each fingerprint
	for _, f := range base.Findings {
		if rank, ok := before[f.Fingerprint]; !ok || f.Verdict.Rank() < rank {
			before[f.Fingerprint] = f.Verdict.Rank()
		}
	}
	now := map[string]bool{}
	for i := range v.Findings {
		f := &v.Findings[i]
		now[f.Fingerprint] = true
		f.Status = New
		if rank, ok := before[f.Fingerprint]; ok && rank <= f.Verdict.Rank() {
			f.Status = Persisting
		}
	}
	judged := map[[2]string]bool{}
	for _, o := range v.Outcomes {
		judged[[2]string{o.Audit.ID, o.Tree}] = o.Seen > 0 && o.Verdict != Failed
	}
	unknown := 0
	for _, f := range base.Findings {
		switch {
		case f.Verdict != Violated && f.Verdict != Suspect || now[f.Fingerprint]:
		case judged[[2]string{f.Audit, f.Tree}]:
			f.Status, f.Incident = Fixed, ""
			v.Fixed = append(v.Fixed, f)
		default:
			unknown++
		}
	}
	switch {
	case unknown == 1:
		v.Notices = append(v.Notices, "1 finding of the baseline is neither fixed nor found again: its audit judged nothing there this time.")
	case unknown > 1:
		v.Notices = append(v.Notices, fmt.Sprintf("%d findings of the baseline are neither fixed nor found again: their audits judged nothing there this time.", unknown))
	}
}
