package ros2

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
	"github.com/omnipitch/omnipitch/robotio/wire"
)

// Execution carries out a goal of an action. It calls feedback with encoded messages, and returns the encoded result;
// nil stands for a result of zeros. The goal has succeeded if err is nil. It is canceled if a client has asked for that
// and err is an error of ctx, which then has ended. Otherwise it is aborted. ROS 2 does not send the text of err, so it
// is logged.
type Execution = wire.Execution

// ActionServer serves an action to clients of ROS 2. One goal is active. A newer one ends its context, which aborts it,
// and waits for its end.
type ActionServer struct {
	node   *Node
	name   string
	def    *msg.ROS2Action
	now    func() msg.Time
	accept func(goal []byte) (Execution, error)
	ctx    context.Context
	stop   context.CancelFunc
	ends   []io.Closer

	status   *Publisher[goalStatusArray]
	feedback *RawPublisher
	results  *dynamic.Converter // from results to responses
	zero     []byte             // response with a result of zeros

	mu           sync.Mutex
	goals        []*servedGoal // in the order of their arrival
	active, next *servedGoal   // the goal that is carried out, and the goal that waits for its end; may be nil
}

// ServeAction serves an action and calls f with each goal. name is the name of the action, and typ is its type, such as
// nav2_msgs/NavigateToPose. now is the clock of stamps. f publishes feedback with the function in its argument; the
// returned result and error have the meaning that Execution describes. One call of f runs at a time. A goal that cannot
// be decoded is rejected. ServeAction returns an error if the name is invalid, if the context does not know the type,
// or if the Go types do not match it.
func ServeAction[Goal, Result, Feedback any](n *Node, name, typ string, now func() msg.Time,
	f func(ctx context.Context, goal *Goal, feedback func(*Feedback)) (*Result, error)) (*ActionServer, error) {
	def, err := n.ActionType(typ)
	if err != nil {
		return nil, n.errorf("action %s: %w", name, err)
	}
	goals, err := codecFor[Goal](n, def.Goal)
	if err != nil {
		return nil, n.errorf("action %s: goal: %w", name, err)
	}
	results, err := codecFor[Result](n, def.Result)
	if err != nil {
		return nil, n.errorf("action %s: result: %w", name, err)
	}
	feedbacks, err := codecFor[Feedback](n, def.Feedback)
	if err != nil {
		return nil, n.errorf("action %s: feedback: %w", name, err)
	}
	return ServeActionRaw(n, name, def, now, func(b []byte) (Execution, error) {
		goal := new(Goal)
		if err := goals.Decode(b, goal); err != nil {
			return nil, err
		}
		return func(ctx context.Context, feedback func([]byte)) ([]byte, error) {
			result, err := f(ctx, goal, func(m *Feedback) { feedback(feedbacks.Append(nil, m)) })
			if result == nil {
				result = new(Result)
			}
			return results.Append(nil, result), err
		}, nil
	})
}

// ActionType returns the definition of an action type from the context's library. It returns msg.ErrUnknown if the
// library lacks the type.
func (n *Node) ActionType(typ string) (*msg.ROS2Action, error) {
	return n.c.types.ROS2Action(libraryName(typ))
}

// ServeActionRaw serves an action of type def. The function accept receives each encoded goal, which it may only read
// until it returns. It returns the Execution of the goal, or an error with which the goal is rejected. In all other
// respects, ServeActionRaw is like ServeAction.
func ServeActionRaw(n *Node, name string, def *msg.ROS2Action, now func() msg.Time,
	accept func(goal []byte) (Execution, error)) (*ActionServer, error) {
	s := &ActionServer{node: n, name: name, def: def, now: now, accept: accept}
	s.ctx, s.stop = context.WithCancel(n.c.ctx)
	if err := s.open(); err != nil {
		_ = s.Close() // never fails
		return nil, n.errorf("action %s: %w", name, err)
	}
	return s, nil
}

// open opens topics and services. That for goals comes last, so that no client sends a goal before the others exist.
func (s *ActionServer) open() (err error) {
	if s.results, err = dynamic.NewConverter(s.def.ResultOnly, s.def.GetResult.Response); err != nil {
		return err
	}
	response, err := dynamic.Compile(s.def.GetResult.Response)
	if err != nil {
		return err
	}
	if s.zero, err = response.AppendROS(nil, []byte("{}"), msg.Time{}); err != nil {
		return err
	}
	n, base := s.node, s.name+"/_action/"
	for _, open := range []func() (io.Closer, error){
		func() (io.Closer, error) {
			s.status, err = Advertise[goalStatusArray](n, base+"status", "action_msgs/GoalStatusArray",
				PubOptions{Latch: true})
			if err == nil {
				n.c.mu.Lock()
				s.status.stop = s.stop // when the node is closed
				n.c.mu.Unlock()
			}
			return s.status, err
		},
		func() (io.Closer, error) {
			s.feedback, err = AdvertiseRaw(n, base+"feedback", s.def.FeedbackMessage, PubOptions{})
			return s.feedback, err
		},
		func() (io.Closer, error) { return ServeRaw(n, base+"get_result", s.def.GetResult, s.getResult) },
		func() (io.Closer, error) {
			return Serve(n, base+"cancel_goal", "action_msgs/CancelGoal",
				func(_ context.Context, r *cancelRequest) (*cancelResponse, error) {
					return s.cancelGoals(r.GoalInfo), nil
				})
		},
		func() (io.Closer, error) { return serve(n, base+"send_goal", s.def.SendGoal, s.sendGoal) },
	} {
		c, err := open()
		if err != nil {
			return err
		}
		s.ends = append(s.ends, c)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.publishStatus()
	return nil
}

// Name returns the name of the action, as it was given.
func (s *ActionServer) Name() string { return s.name }

// Close ends the context of the active goal, and closes all topics and services. The call that carries out the goal may
// still finish; nobody receives its result. Close never fails.
func (s *ActionServer) Close() error {
	s.stop()
	for _, c := range slices.Backward(s.ends) {
		_ = c.Close() // never fails
	}
	return nil
}

// Messages of action_msgs and of unique_identifier_msgs.
type (
	goalID   struct{ UUID [16]byte }
	goalInfo struct {
		GoalID goalID
		Stamp  msg.Time
	}
	goalStatus struct {
		GoalInfo goalInfo
		Status   int8
	}
	goalStatusArray struct{ StatusList []goalStatus }
	cancelRequest   struct{ GoalInfo goalInfo }
	cancelResponse  struct {
		ReturnCode     int8
		GoalsCanceling []goalInfo
	}
)

// Values of goalStatus.Status. Source: action_msgs/GoalStatus.
const (
	goalUnknown int8 = iota
	goalAccepted
	goalExecuting
	goalCanceling
	goalSucceeded
	goalCanceled
	goalAborted
)

// Values of cancelResponse.ReturnCode. Source: action_msgs/CancelGoal.
const (
	cancelNone       int8 = 0
	cancelUnknown    int8 = 2
	cancelTerminated int8 = 3
)

// cutGoalID splits a message that begins with the id of a goal into the id and the rest, which stays a message: the id
// has 16 bytes, so all that follows stays aligned.
func cutGoalID(b []byte) (id goalID, rest []byte, err error) {
	if len(b) < encapsulation+len(id.UUID) {
		return id, nil, fmt.Errorf("goal: has %d bytes: must have at least %d", len(b), encapsulation+len(id.UUID))
	}
	copy(id.UUID[:], b[encapsulation:])
	return id, append(b[:encapsulation:encapsulation], b[encapsulation+len(id.UUID):]...), nil
}

const (
	// resultKept is how long results are kept. Source: rcl_action of Humble.
	resultKept = 15 * time.Minute
	maxGoals   = 256 // number of goals that are kept; a guess
)
