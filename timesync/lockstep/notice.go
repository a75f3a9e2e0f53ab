package lockstep

import "time"

// notice is the last text that users got about a wait.
type notice struct {
	text  string
	shown time.Duration // wall time
}

// repeatEvery is how often the same text is shown again. Guess: a run that waits is not to be taken for one that hangs.
const repeatEvery = 5 * time.Second

// show shows a text that is new, and the same again every repeatEvery; not an empty one.
func (n *notice) show(now time.Duration, text string, show func(string)) {
	if text == "" || text == n.text && now-n.shown < repeatEvery {
		return
	}
	n.text, n.shown = text, now
	show(text)
}
