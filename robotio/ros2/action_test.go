package ros2

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// The messages of simulation_interfaces/SimulateSteps. Its result has a field of the name that the response for results
// has, and its numbers of 8 bytes are at places where a wrong alignment shows.
type (
	stepsGoal   struct{ Steps uint64 }
	stepsResult struct {
		Result struct {
			Result       uint8
			ErrorMessage string
		}
	}
	stepsFeedback struct{ CompletedSteps, RemainingSteps uint64 }
	sendSteps     struct {
		GoalID goalID
		Goal   stepsGoal
	}
	sentSteps struct {
		Accepted bool
		Stamp    msg.Time
	}
	askSteps  struct{ GoalID goalID }
	doneSteps struct {
		Status int8
		Result stepsResult
	}
	progress struct {
		GoalID   goalID
		Feedback stepsFeedback
	}
)

// actionClient is a client of the action /a/steps in another context, as rcl_action describes it.
type actionClient struct {
	t        *testing.T
	n        *Node
	ctx      context.Context
	def      *msg.ROS2Action
	status   must.List[goalStatusArray]
	feedback must.List[progress]
}

func newActionClient(t *testing.T) (a *Node, c *actionClient) {
	a, b := pair(t)
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(stop)
	c = &actionClient{t: t, n: b, ctx: ctx}
	c.def = must.Get(b.ActionType("simulation_interfaces/action/SimulateSteps"))(t)
	q := QoS{Reliable: true, TransientLocal: true, Depth: 100}
	def := must.Get(b.MessageType("action_msgs/GoalStatusArray"))(t)
	listen(c, "status", def, q, &c.status)
	listen(c, "feedback", c.def.FeedbackMessage, QoS{Reliable: true, Depth: 100}, &c.feedback)
	return a, c
}

func listen[T any](c *actionClient, topic string, def *msg.Definition, q QoS, to *must.List[T]) {
	codec := must.Get(codecFor[T](c.n, def))(c.t)
	must.Get(SubscribeAs(c.n, "/a/steps/_action/"+topic, def, q, func(b []byte) error {
		var m T
		err := codec.Decode(b, &m)
		to.Add(m)
		return err
	}))(c.t)
}

// call calls a service of the action.
func call[Resp, Req any](c *actionClient, name string, def *msg.ServiceDefinition, r Req) (resp Resp, err error) {
	request := must.Get(codecFor[Req](c.n, def.Request))(c.t)
	response := must.Get(codecFor[Resp](c.n, def.Response))(c.t)
	b, err := CallRaw(c.ctx, c.n, "/a/steps/_action/"+name, def, request.Append(nil, &r))
	if err == nil {
		err = response.Decode(b, &resp)
	}
	return resp, err
}

func idOf(i int) goalID { return goalID{[16]byte{byte(i), byte(i >> 8), 15: 1}} }

func (c *actionClient) send(id, steps int) sentSteps {
	c.t.Helper()
	return must.Get(call[sentSteps](c, "send_goal", c.def.SendGoal, sendSteps{idOf(id), stepsGoal{uint64(steps)}}))(c.t)
}

func (c *actionClient) result(id int) doneSteps {
	c.t.Helper()
	return must.Get(call[doneSteps](c, "get_result", c.def.GetResult, askSteps{idOf(id)}))(c.t)
}

// cancel returns the return code and the numbers of the goals that are canceled.
func (c *actionClient) cancel(id goalID, stamp uint32) string {
	c.t.Helper()
	def := must.Get(c.n.ServiceType("action_msgs/CancelGoal"))(c.t)
	r := must.Get(call[cancelResponse](c, "cancel_goal", def,
		cancelRequest{goalInfo{id, msg.Time{Sec: stamp}}}))(c.t)
	text := fmt.Sprint(r.ReturnCode)
	for _, g := range r.GoalsCanceling {
		text += fmt.Sprint(" ", g.GoalID.UUID[0])
	}
	return text
}

// statuses returns the goals and states of the newest message of the topic of states.
func (c *actionClient) statuses() (text string) {
	if all := c.status.All(); len(all) > 0 {
		for _, g := range all[len(all)-1].StatusList {
			text += fmt.Sprintf("%d:%d ", g.GoalInfo.GoalID.UUID[0], g.Status)
		}
	}
	return text
}

// serveSteps serves the action /a/steps. Goals of 1 step succeed, goals of 2 fail, goals of 3 wait until they are
// cancelled, goals of 4 ignore that they are, and others are rejected. The stamps are 1 s, 2 s, and so on.
func serveSteps(t *testing.T, a *Node, finish <-chan struct{}) *ActionServer {
	sec := uint32(0)
	now := func() msg.Time { sec++; return msg.Time{Sec: sec} }
	result := func(code uint8, text string) *stepsResult {
		r := &stepsResult{}
		r.Result.Result, r.Result.ErrorMessage = code, text
		return r
	}
	def := must.Get(a.ActionType("simulation_interfaces/SimulateSteps"))(t)
	goals, results := must.Get(codecFor[stepsGoal](a, def.Goal))(t), must.Get(codecFor[stepsResult](a, def.Result))(t)
	feedbacks := must.Get(codecFor[stepsFeedback](a, def.Feedback))(t)
	return must.Get(ServeActionRaw(a, "~/steps", def, now, func(b []byte) (Execution, error) {
		var g stepsGoal
		if err := goals.Decode(b, &g); err != nil || g.Steps < 1 || g.Steps > 4 {
			return nil, errors.Join(err, errors.New("steps: must lie in [1, 4]"))
		}
		return func(ctx context.Context, feedback func([]byte)) ([]byte, error) {
			feedback(feedbacks.Append(nil, &stepsFeedback{g.Steps, 1 << 40}))
			switch g.Steps {
			case 1:
				return results.Append(nil, result(7, "good")), nil
			case 2:
				return nil, errors.New("cannot")
			case 3:
				<-ctx.Done()
				return results.Append(nil, result(8, "stopped")), ctx.Err()
			}
			<-finish
			return results.Append(nil, result(9, "late")), nil
		}, nil
	}))(t)
}

// A goal is accepted, carried out with feedback, and ends with a result that clients may ask for repeatedly.
func TestAction(t *testing.T) {
	a, c := newActionClient(t)
	srv := serveSteps(t, a, nil)
	must.Equal(t, srv.Name(), "~/steps", "name")
	must.Until(t, "an empty list", func() bool { return len(c.status.All()) == 1 && c.statuses() == "" })
	must.Until(t, "a subscriber of feedback", func() bool { return srv.feedback.NumSubscribers() == 1 })
	must.Equal(t, c.send(1, 1), sentSteps{true, msg.Time{Sec: 1}}, "response to a goal")
	for range 2 {
		r := c.result(1)
		must.Equal(t, fmt.Sprint(r), "{4 {{7 good}}}", "result")
	}
	must.Equal(t, fmt.Sprint(c.send(2, 2).Accepted, c.result(2)), "true {6 {{0 }}}", "result of a failure")
	must.Until(t, "the states", func() bool { return c.statuses() == "1:4 2:6 " })
	must.Until(t, "feedback", func() bool { return len(c.feedback.All()) == 2 })
	want := []progress{{idOf(1), stepsFeedback{1, 1 << 40}}, {idOf(2), stepsFeedback{2, 1 << 40}}}
	must.Equal(t, c.feedback.All(), want, "feedback")
	must.Equal(t, c.send(3, 0).Accepted, false, "acceptance of an invalid goal")
	must.Equal(t, c.send(2, 1).Accepted, false, "acceptance of a known id")
	must.Equal(t, must.Get(call[sentSteps](c, "send_goal", c.def.SendGoal, sendSteps{Goal: stepsGoal{1}}))(t).Accepted,
		false, "acceptance without an id")
	must.Equal(t, c.result(3).Status, goalUnknown, "status of an unknown goal")
	must.Equal(t, c.statuses(), "1:4 2:6 ", "states after rejections")
}

// Clients cancel a goal by its id, goals by their stamp, or all goals. A server may ignore it.
func TestCancelGoals(t *testing.T) {
	a, c := newActionClient(t)
	finish := make(chan struct{})
	serveSteps(t, a, finish)
	c.send(1, 3)
	must.Until(t, "an active goal", func() bool { return c.statuses() == "1:2 " })
	must.Equal(t, c.cancel(idOf(9), 0), "2", "response for an unknown goal")
	must.Equal(t, c.cancel(idOf(1), 0), "0 1", "response for a goal")
	must.Equal(t, fmt.Sprint(c.result(1)), "{5 {{8 stopped}}}", "result")
	must.Equal(t, c.cancel(idOf(1), 0), "3", "response for a goal that has ended")
	c.send(2, 4) // stamp 2
	must.Until(t, "an active goal", func() bool { return c.statuses() == "1:5 2:2 " })
	c.send(3, 3) // waits; stamp 3
	must.Equal(t, c.cancel(goalID{}, 1), "0", "response for older goals")
	must.Equal(t, c.cancel(goalID{}, 2), "0 2", "response for goals up to a stamp")
	must.Equal(t, c.cancel(goalID{}, 0), "0 3", "response for all goals")
	must.Equal(t, fmt.Sprint(c.result(3)), "{5 {{0 }}}", "result of a goal that has not begun")
	must.Until(t, "the states", func() bool { return c.statuses() == "1:5 2:3 3:5 " })
	must.Equal(t, c.cancel(idOf(2), 0), "3", "response for a goal that is cancelled already")
	close(finish)
	must.Equal(t, fmt.Sprint(c.result(2)), "{4 {{9 late}}}", "result of a goal that succeeds nevertheless")
}

// A newer goal aborts the active one and one that waits. A closed server answers nobody.
func TestNewerGoal(t *testing.T) {
	a, c := newActionClient(t)
	finish := make(chan struct{})
	serveSteps(t, a, finish)
	c.send(1, 3)
	must.Until(t, "an active goal", func() bool { return c.statuses() == "1:2 " })
	c.send(2, 4)
	must.Equal(t, fmt.Sprint(c.result(1)), "{6 {{8 stopped}}}", "result of an older goal")
	must.Until(t, "an active goal", func() bool { return c.statuses() == "1:6 2:2 " })
	c.send(3, 4)
	c.send(4, 1)
	must.Equal(t, fmt.Sprint(c.result(3)), "{6 {{0 }}}", "result of a goal that has not begun")
	close(finish)
	must.Equal(t, fmt.Sprint(c.result(2)), "{4 {{9 late}}}", "result of a goal that has finished nevertheless")
	must.Equal(t, fmt.Sprint(c.result(4)), "{4 {{7 good}}}", "result of the newest goal")
	c.send(5, 3)
	ended := make(chan error, 1)
	ctx, stop := context.WithCancel(c.ctx)
	c.ctx = ctx
	go func() {
		_, err := call[doneSteps](c, "get_result", c.def.GetResult, askSteps{idOf(5)})
		ended <- err
	}()
	must.Until(t, "an active goal", func() bool { return c.statuses() == "1:6 2:4 3:6 4:4 5:2 " })
	must.Do(t, a.Close())
	must.Until(t, "no services", func() bool { return len(c.n.Graph().Services) == 0 })
	stop()
	must.Equal(t, errors.Is(<-ended, context.Canceled), true, "a call of a closed server")
}

// A server forgets the oldest results when there are too many, and all after a time.
func TestGoalsAreForgotten(t *testing.T) {
	a, _ := pair(t)
	s := serveSteps(t, a, nil)
	codec := must.Get(codecFor[sendSteps](a, s.def.SendGoal.Request))(t)
	for i := range maxGoals + 10 {
		_, sent, err := s.sendGoal(context.Background(), codec.Append(nil, &sendSteps{idOf(i), stepsGoal{1}}), nil)
		must.Do(t, err)
		sent()
		s.mu.Lock()
		g := s.find(idOf(i))
		s.mu.Unlock()
		<-g.done
	}
	s.mu.Lock()
	s.publishStatus()
	must.Equal(t, len(s.goals), maxGoals, "goals")
	must.Equal(t, s.find(idOf(9)) == nil && s.find(idOf(10)) != nil, true, "the oldest is forgotten")
	for _, g := range s.goals[:maxGoals-1] {
		g.ended = g.ended.Add(-resultKept)
	}
	s.publishStatus()
	must.Equal(t, len(s.goals), 1, "goals after a time")
	s.mu.Unlock()
	for _, hostile := range []string{"", "00010000", "00010000ffffffff", "00010000" + fmt.Sprintf("%032d", 1) + "00"} {
		b := must.Get(hex.DecodeString(hostile))(t)
		if out, _, err := s.sendGoal(context.Background(), b, nil); err == nil {
			t.Errorf("goal %s: got the answer %x, want an error", hostile, out)
		}
	}
}

// The typed form has the same rules.
func TestServeAction(t *testing.T) {
	a, c := newActionClient(t)
	const typ = "simulation_interfaces/SimulateSteps"
	now := func() msg.Time { return msg.Time{Sec: 5} }
	must.Get(ServeAction(a, "/a/steps", typ, now, func(_ context.Context, g *stepsGoal,
		feedback func(*stepsFeedback)) (*stepsResult, error) {
		feedback(&stepsFeedback{g.Steps, 0})
		r := &stepsResult{}
		r.Result.ErrorMessage = fmt.Sprint(g.Steps)
		return r, nil
	}))(t)
	must.Equal(t, c.send(1, 12), sentSteps{true, msg.Time{Sec: 5}}, "response to a goal")
	must.Equal(t, fmt.Sprint(c.result(1)), "{4 {{0 12}}}", "result")
	type wrong struct{ Nothing bool }
	must.Refuse(ServeAction(a, "/x", typ, now, func(context.Context, *wrong, func(*wrong)) (*wrong, error) {
		return nil, nil
	}))(t, "action /x: goal")
	must.Refuse(ServeAction(a, "/x", "p/None", now, func(context.Context, *wrong, func(*wrong)) (*wrong, error) {
		return nil, nil
	}))(t, "action p/None: unknown type")
	must.Refuse(ServeActionRaw(a, "1", c.def, now, nil))(t, "must be")
}
