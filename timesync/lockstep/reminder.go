package lockstep

import "time"

// reminder tells whoever watches a run whom it waits for.
type reminder struct {
	text string
	told time.Duration // wall time
}

// remindEvery is how often the same is told again: a guess, so that nobody takes a run that waits for one that hangs.
const remindEvery = 5 * time.Second

// remind tells a text that is new, and the same again every remindEvery; not an empty one.
func (r *reminder) remind(now time.Duration, text string, tell func(string)) {
	if text == "" || text == r.text && now-r.told < remindEvery {
		return
	}
	r.text, r.told = text, now
	tell(text)
}
