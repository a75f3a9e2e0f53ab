package lockstep

import (
	"fmt"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/timesync"
)

// peer is a robot with its connection, and the state of the answers that it owes.
type peer struct {
	timesync.WaitFor
	Connection
	session int64 // session of the connection when the connection was last complete

	asks   timesync.Cadence // rate of the ticks that the robot answers
	owed   int              // number of owed answers
	upTo   time.Duration    // sim time of the newest message whose answer was owed
	acked  time.Duration    // newest acknowledged sim time
	lost   int              // number of observations that may have been lost before the robot's first answer
	early  bool             // the robot answered before it owed an answer
	joined bool             // the robot has answered at least once
	gone   bool             // the robot timed out, and the run continues without its answers
}

// owe records that the robot owes an answer to a message of a sim time.
func (d *peer) owe(sim time.Duration) {
	if d.Answer == "ack" && d.acked >= sim {
		return
	}
	d.owed, d.upTo = d.owed+1, sim
}

// owes reports whether the next step has to wait for the robot.
func (d *peer) owes() bool {
	if d.Order != timesync.OrderAll {
		return d.owed > 0 && !d.gone
	}
	if d.gone && d.complete() && d.Pending() == "" {
		d.gone = false
	}
	return !d.gone && (d.Pending() != "" || !d.complete())
}

// complete reports whether the robot can receive messages and answer. If the robot has reconnected, messages to it were
// lost, so complete drops the answers that it owes.
func (d *peer) complete() bool {
	missing, session := d.Missing()
	if len(missing) > 0 {
		return false
	}
	if session != d.session { // the message or the answer was lost
		d.session, d.owed = session, 0
	}
	return true
}

// absent returns a text that names the missing parts of the connection. It returns "" if the connection is complete.
func (d *peer) absent() string {
	if d.complete() {
		return ""
	}
	missing, _ := d.Missing()
	return strings.Join(missing, " and ")
}

// Late is the error of a robot that has not answered in time.
type Late struct {
	timesync.WaitFor
	Since   time.Duration // sim time of the newest message that the robot should have answered
	Message string        // with order = "all", the message that the robot has not acknowledged
	Missing string        // what the robot's connection lacks
}

func (d *peer) late() *Late {
	l := &Late{WaitFor: d.WaitFor, Since: d.upTo, Missing: d.absent()}
	if d.Order == timesync.OrderAll {
		l.Message = d.Pending()
	}
	return l
}

func (l *Late) Error() string {
	what := fmt.Sprintf("answered what it got at %v, for", l.Since)
	switch {
	case l.Message != "":
		what = fmt.Sprintf("acknowledged what it got on %s, for", l.Message)
	case l.Order == timesync.OrderAll:
		what = "been there for"
	}
	text := fmt.Sprintf("robot %s has not %s %v (timeout_ms = %v, on_timeout = %q)", l.Robot, what, l.Timeout,
		float64(l.Timeout)/float64(time.Millisecond), l.Then)
	if l.Missing != "" {
		text += ": it lacks " + l.Missing
	}
	return text
}

// Connection carries messages to a robot, and its answers back. The goroutine that steps calls its methods, which must
// not block.
type Connection interface {
	// Missing names the missing parts of the connection, such as "a subscriber of /clock". Without them the robot
	// cannot receive messages or answer. The session is a number that changes when the robot reconnects: messages sent
	// to the robot in an earlier session are lost.
	Missing() (missing []string, session int64)
	// Pending names a message that the robot has not acknowledged, or returns "". It is called only with order = "all".
	Pending() string
}

// direct is the connection of a robot in this process, where nothing gets lost.
type direct struct{}

func (direct) Missing() ([]string, int64) { return nil, 0 }
func (direct) Pending() string            { return "" }

// notice is the last text that the user was shown about a wait.
type notice struct {
	text  string
	shown time.Duration // wall time at which the text was shown last
}

// repeatEvery is the wall time after which the same text is shown again, so that a waiting run does not seem to hang. 5
// s is a guess.
const repeatEvery = 5 * time.Second

// show calls the function show with the text: at once if the text is new, and after repeatEvery if it is unchanged. It
// ignores an empty text. The argument now is the present wall time.
func (n *notice) show(now time.Duration, text string, show func(string)) {
	if text == "" || text == n.text && now-n.shown < repeatEvery {
		return
	}
	n.text, n.shown = text, now
	show(text)
}
