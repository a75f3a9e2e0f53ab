package ros1

import (
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/robotio/msg"
)

// Types of the messages that all actions share.
const (
	statusType = "actionlib_msgs/GoalStatusArray"
	cancelType = "actionlib_msgs/GoalID"
)

// actionQueue is the length of the queues of an action's publishers; it is actionlib's default.
const actionQueue = 50

// actionCodecs has the codecs of the three parts of an action.
type actionCodecs[Goal, Result, Feedback any] struct {
	def      *msg.ActionDefinition
	goal     *msg.Codec[Goal]
	result   *msg.Codec[Result]
	feedback *msg.Codec[Feedback]
}

// newActionCodecs returns the codecs that convert between the Go types and an action type of the node's library.
func newActionCodecs[Goal, Result, Feedback any](n *Node, typ string) (c *actionCodecs[Goal, Result, Feedback],
	err error) {
	c = &actionCodecs[Goal, Result, Feedback]{}
	if c.def, err = n.types.Action(typ); err != nil {
		return nil, err
	}
	if c.goal, err = msg.Compile[Goal](c.def.Goal); err != nil {
		return nil, err
	}
	if c.result, err = msg.Compile[Result](c.def.Result); err != nil {
		return nil, err
	}
	c.feedback, err = msg.Compile[Feedback](c.def.Feedback)
	return c, err
}

// Each message of an action has a header, then the GoalID of a goal or the GoalStatus of a result or feedback, and then
// the goal, the result or the feedback.

// appendActionHeader appends a header with a stamp. The publisher sets its sequence number.
func appendActionHeader(b []byte, stamp msg.Time) []byte {
	return le.AppendUint32(appendTime(le.AppendUint32(b, 0), stamp), 0)
}

// appendAction appends the message of a result or feedback, whose encoded last part is body.
func appendAction(b []byte, stamp msg.Time, status *msg.GoalStatus, body []byte) []byte {
	b = append(appendGoalID(appendActionHeader(b, stamp), &status.GoalID), status.Status)
	return append(appendText(b, status.Text), body...)
}

func appendGoalID(b []byte, id *msg.GoalID) []byte { return appendText(appendTime(b, id.Stamp), id.ID) }

func appendTime(b []byte, t msg.Time) []byte {
	return le.AppendUint32(le.AppendUint32(b, t.Sec), t.Nsec)
}

func appendText(b []byte, s string) []byte { return append(le.AppendUint32(b, uint32(len(s))), s...) }

var errShortAction = errors.New("message of an action: ends too early")

// cutGoal splits the message of a goal into its id and the encoded goal.
func cutGoal(b []byte) (id msg.GoalID, goal []byte, err error) {
	if len(b) < 12 {
		return id, nil, errShortAction
	}
	if _, b, err = cutText(b[12:]); err != nil {
		return id, nil, fmt.Errorf("header: %w", err)
	}
	if len(b) < 8 {
		return id, nil, errShortAction
	}
	id.Stamp = msg.Time{Sec: le.Uint32(b), Nsec: le.Uint32(b[4:])}
	id.ID, goal, err = cutText(b[8:])
	return id, goal, err
}

// cutAction splits the message of a result or feedback into its status and the encoded last part.
func cutAction(b []byte) (s msg.GoalStatus, body []byte, err error) {
	if s.GoalID, b, err = cutGoal(b); err != nil {
		return s, nil, err
	}
	if len(b) < 1 {
		return s, nil, errShortAction
	}
	s.Status = b[0]
	s.Text, body, err = cutText(b[1:])
	return s, body, err
}

// cutText splits off a string at the start of b.
func cutText(b []byte) (s string, rest []byte, err error) {
	if len(b) < 4 || uint64(le.Uint32(b)) > uint64(len(b)-4) {
		return "", nil, errShortAction
	}
	n := 4 + le.Uint32(b)
	return string(b[4:n]), b[n:], nil
}
