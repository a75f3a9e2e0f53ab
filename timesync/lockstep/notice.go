package lockstep

import "time"

// notice is the last text that the user was shown about a wait.
type notice struct {
	text  string
	shown time.Duration // wall time at which the text was shown last
}

// repeatEvery is the wall time after which the same text is shown again, so that a waiting run does not seem to hang. 5
// s is a guess.
const repeatEvery = 5 * time.Second

// show calls the function show with a new text at once, and with an unchanged text again after repeatEvery. It ignores
// an empty text. The argument now is the present wall time.
func (n *notice) show(now time.Duration, text string, show func(string)) {
	if text == "" || text == n.text && now-n.shown < repeatEvery {
		return
	}
	n.text, n.shown = text, now
	show(text)
}
