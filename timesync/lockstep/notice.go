package lockstep

import "time"

// notice is the last text that the user was shown about a wait.
type notice struct {
	text  string
	shown time.Duration // wall time
}

// repeatEvery is how often the same text is repeated, so that a waiting run does not seem to hang. Guess.
const repeatEvery = 5 * time.Second

// show shows a new text at once, and repeats the same text every repeatEvery. It ignores an empty text.
func (n *notice) show(now time.Duration, text string, show func(string)) {
	if text == "" || text == n.text && now-n.shown < repeatEvery {
		return
	}
	n.text, n.shown = text, now
	show(text)
}
