package ros1

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
)

// ActionClient sends goals to an action server, of this package or of ROS's actionlib.
type ActionClient[Goal, Result, Feedback any] struct {
	node   *Node
	name   string
	codecs *actionCodecs[Goal, Result, Feedback]
	now    func() msg.Time
	topics []io.Closer

	goals                     *RawPublisher
	cancels                   *Publisher[msg.GoalID]
	status, results, feedback *Subscriber

	mu   sync.Mutex
	sent map[string]*SentGoal[Result, Feedback] // goals that have not ended, by id
	made int
}

// SentGoal is a goal that an ActionClient has sent.
type SentGoal[Result, Feedback any] struct {
	id       string
	cancel   func()
	feedback func(*Feedback)
	done     chan struct{} // closed when the goal has ended; result and err do not change afterwards
	known    bool          // whether the server has published the goal's status
	result   *Result
	err      error
}

// GoalError says that a goal has not succeeded.
type GoalError struct {
	Action string // name of the action, as it was given
	Status uint8  // one of the constants of package msg, such as msg.GoalAborted
	Text   string // text of the server
}

func (e *GoalError) Error() string {
	word := map[uint8]string{msg.GoalPreempted: "preempted", msg.GoalAborted: "aborted", msg.GoalRejected: "rejected",
		msg.GoalRecalled: "recalled", msg.GoalLost: "lost: its server has forgotten it"}[e.Status]
	text := fmt.Sprintf("action %s: the goal was %s", e.Action, cmp.Or(word, fmt.Sprintf("ended with %d", e.Status)))
	if e.Text != "" {
		text += ": " + e.Text
	}
	return text
}

// NewActionClient returns a client of an action. Its arguments are those of ServeAction. It returns an error in these
// cases: the node does not know the type, the Go types do not match it, the node already publishes a topic of the
// action, or the master does not answer.
func NewActionClient[Goal, Result, Feedback any](n *Node, name, typ string, now func() msg.Time) (*ActionClient[Goal,
	Result, Feedback], error) {
	codecs, err := newActionCodecs[Goal, Result, Feedback](n, typ)
	if err != nil {
		return nil, n.errorf("action %s: %w", name, err)
	}
	c := &ActionClient[Goal, Result, Feedback]{node: n, name: name, codecs: codecs, now: now,
		sent: map[string]*SentGoal[Result, Feedback]{}}
	if err := c.open(); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (c *ActionClient[Goal, Result, Feedback]) open() (err error) {
	n, def := c.node, c.codecs.def
	c.status, err = Subscribe(n, c.name+"/status", statusType, c.takeStatus)
	if err = c.closeLater(c.status, err); err != nil {
		return err
	}
	c.results, err = SubscribeAs(n, c.name+"/result", def.ActionResult, c.takeResult)
	if err = c.closeLater(c.results, err); err != nil {
		return err
	}
	c.feedback, err = SubscribeAs(n, c.name+"/feedback", def.ActionFeedback, c.takeFeedback)
	if err = c.closeLater(c.feedback, err); err != nil {
		return err
	}
	for _, s := range []*Subscriber{c.status, c.results, c.feedback} {
		s.Confirm()
	}
	c.cancels, err = Advertise[msg.GoalID](n, c.name+"/cancel", cancelType, PubOptions{})
	if err = c.closeLater(c.cancels, err); err != nil {
		return err
	}
	c.goals, err = AdvertiseRaw(n, c.name+"/goal", def.ActionGoal, PubOptions{})
	return c.closeLater(c.goals, err)
}

func (c *ActionClient[Goal, Result, Feedback]) closeLater(topic io.Closer, err error) error {
	if err == nil {
		c.topics = append(c.topics, topic)
	}
	return err
}

// WaitForServer waits until a node is connected to all topics of the action. Earlier goals may be lost. It returns the
// error of ctx if ctx ends first.
func (c *ActionClient[Goal, Result, Feedback]) WaitForServer(ctx context.Context) error {
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	for !c.connected() {
		select {
		case <-poll.C:
		case <-ctx.Done():
			return c.node.errorf("action %s: no server: %w", c.name, ctx.Err())
		}
	}
	return nil
}

func (c *ActionClient[Goal, Result, Feedback]) connected() bool {
	others := [][]Connection{c.cancels.Connections(), c.status.Connections(), c.results.Connections(),
		c.feedback.Connections()}
	return slices.ContainsFunc(c.goals.Connections(), func(server Connection) bool {
		return !slices.ContainsFunc(others, func(all []Connection) bool {
			return !slices.ContainsFunc(all, func(o Connection) bool { return o.Node == server.Node })
		})
	})
}

// Send sends a goal. The function feedback, which may be nil, is called with each feedback until the goal has ended.
func (c *ActionClient[Goal, Result, Feedback]) Send(goal *Goal, feedback func(*Feedback)) *SentGoal[Result, Feedback] {
	now := c.now()
	c.mu.Lock()
	c.made++
	id := msg.GoalID{Stamp: now, ID: fmt.Sprintf("%s-%d-%v", c.node.name, c.made, now)}
	g := &SentGoal[Result, Feedback]{id: id.ID, feedback: feedback, done: make(chan struct{})}
	g.cancel = func() { c.cancels.Publish(&msg.GoalID{ID: g.id}) }
	c.sent[g.id] = g
	c.mu.Unlock()
	c.goals.Publish(c.codecs.goal.Append(appendGoalID(appendActionHeader(nil, now), &id), goal))
	return g
}

// Cancel asks the server to cancel the goal. The server decides how the goal ends.
func (g *SentGoal[Result, Feedback]) Cancel() { g.cancel() }

// Wait waits until the goal has ended, and returns its result. If the goal has not succeeded, Wait returns a *GoalError
// and, unless the goal is lost, the result. It returns nil and the error of ctx if ctx ends first; the server then
// still carries out the goal.
func (g *SentGoal[Result, Feedback]) Wait(ctx context.Context) (*Result, error) {
	select {
	case <-g.done:
		return g.result, g.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// CancelAll asks the server to cancel all goals, also those of other clients.
func (c *ActionClient[Goal, Result, Feedback]) CancelAll() { c.cancels.Publish(&msg.GoalID{}) }

// Close closes all topics. Goals that have not ended stay so. If the master does not answer, Close returns an error,
// but the client is closed anyway.
func (c *ActionClient[Goal, Result, Feedback]) Close() error {
	var errs []error
	for _, t := range slices.Backward(c.topics) {
		errs = append(errs, t.Close())
	}
	return errors.Join(errs...)
}

// takeStatus receives the status of the server's goals. A goal that was in an earlier list, and is not in this one, is
// lost: the server has restarted, or its result has not arrived for statusKept.
func (c *ActionClient[Goal, Result, Feedback]) takeStatus(m *msg.GoalStatusArray) {
	c.mu.Lock()
	defer c.mu.Unlock()
	listed := map[string]bool{}
	for i := range m.StatusList {
		listed[m.StatusList[i].GoalID.ID] = true
	}
	for id, g := range c.sent {
		if g.known && !listed[id] {
			c.end(g, nil, &GoalError{Action: c.name, Status: msg.GoalLost})
		}
		g.known = g.known || listed[id]
	}
}

func (c *ActionClient[Goal, Result, Feedback]) takeResult(b []byte) error {
	status, body, err := cutAction(b)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	g := c.sent[status.GoalID.ID]
	if g == nil {
		return nil // the goal of another client
	}
	result := new(Result)
	if err := c.codecs.result.Decode(body, result); err != nil {
		c.end(g, nil, err)
		return err
	}
	if status.Status != msg.GoalSucceeded {
		err = &GoalError{c.name, status.Status, status.Text}
	}
	c.end(g, result, err)
	return nil
}

func (c *ActionClient[Goal, Result, Feedback]) end(g *SentGoal[Result, Feedback], result *Result, err error) {
	g.result, g.err = result, err
	delete(c.sent, g.id)
	close(g.done)
}

func (c *ActionClient[Goal, Result, Feedback]) takeFeedback(b []byte) error {
	status, body, err := cutAction(b)
	if err != nil {
		return err
	}
	c.mu.Lock()
	g := c.sent[status.GoalID.ID]
	c.mu.Unlock()
	if g == nil || g.feedback == nil {
		return nil
	}
	m := new(Feedback)
	if err := c.codecs.feedback.Decode(body, m); err != nil {
		return err
	}
	g.feedback(m)
	return nil
}
