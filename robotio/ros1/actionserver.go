package ros1

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/wire"
)

// Execution carries out a goal of an action. It calls feedback with encoded messages, and returns the encoded result;
// nil stands for a result of zeros. The goal has succeeded if err is nil. Otherwise the text of err becomes the text of
// its status: it is preempted if err is an error of ctx, which ends when a client cancels the goal or a newer goal
// comes, and else aborted.
type Execution = wire.Execution

// ActionServer serves an action to clients of ROS's actionlib, with the rules of its SimpleActionServer: one goal is
// active, and a newer one preempts it. The stamps of goals say which one is newer.
type ActionServer struct {
	node   *Node
	name   string
	def    *msg.ActionDefinition
	now    func() msg.Time
	accept func(goal []byte) (Execution, error)
	ctx    context.Context
	stop   context.CancelFunc
	topics []io.Closer

	status            *Publisher[msg.GoalStatusArray]
	results, feedback *RawPublisher

	mu            sync.Mutex
	goals         []*servedGoal // in the order of their arrival
	active, next  *servedGoal   // the goal that is carried out, and the goal that waits for its end; may be nil
	lastCancelled msg.Time      // goals with stamps up to this time are cancelled
	newest        msg.Time      // time at which the newest goal came
	made          int           // number of goals that came without an id
}

// servedGoal is a goal of an action server.
type servedGoal struct {
	status msg.GoalStatus
	run    Execution
	cancel context.CancelCauseFunc
	ended  time.Time // wall time at which the goal reached a final status; zero before
	known  bool      // whether messages about the goal are published; see answerTime
	unsent []func()  // publish the messages about the goal once it is known
}

// Times and limits of an ActionServer.
const (
	statusPeriod = 200 * time.Millisecond // actionlib's default
	statusKept   = 5 * time.Second        // how long the status of an ended goal is published; actionlib's default
	// answerTime is the minimum time between a goal and the first message about it. A SimpleActionClient of rospy
	// misses messages that come before its method send_goal has returned, and then never notices the end of the goal.
	// 20 ms is a guess: four times the interval in which Python switches threads.
	answerTime = 20 * time.Millisecond
	maxGoals   = 256  // number of goals whose status is published; a guess
	maxGoalID  = 1024 // length of an id, bytes; a guess
)

// WallTime returns the wall time. It is the clock of actions without sim time.
func WallTime() msg.Time { return msg.TimeFrom(time.Duration(time.Now().UnixNano())) }

// ServeAction serves an action and calls f with each goal. name is the name of the action, and typ is its type, such as
// actionlib/TestAction. now is the clock of stamps, for example WallTime. f publishes feedback with the function in its
// argument; the returned result and error have the meaning that Execution describes. One call of f runs at a time. A
// goal that cannot be decoded is rejected. ServeAction returns an error in these cases: the node does not know the
// type, the Go types do not match it, the node already uses a topic of the action, or the master does not answer.
func ServeAction[Goal, Result, Feedback any](n *Node, name, typ string, now func() msg.Time,
	f func(ctx context.Context, goal *Goal, feedback func(*Feedback)) (*Result, error)) (*ActionServer, error) {
	c, err := newActionCodecs[Goal, Result, Feedback](n, typ)
	if err != nil {
		return nil, n.errorf("action %s: %w", name, err)
	}
	return ServeActionRaw(n, name, c.def, now, func(b []byte) (Execution, error) {
		goal := new(Goal)
		if err := c.goal.Decode(b, goal); err != nil {
			return nil, err
		}
		return func(ctx context.Context, feedback func([]byte)) ([]byte, error) {
			result, err := f(ctx, goal, func(m *Feedback) { feedback(c.feedback.Append(nil, m)) })
			if result == nil {
				result = new(Result)
			}
			return c.result.Append(nil, result), err
		}, nil
	})
}

// ServeActionRaw serves an action of type def. The function accept receives each encoded goal, which it may only read
// until it returns. It returns the Execution of the goal, or an error with which the goal is rejected. In all other
// respects, ServeActionRaw is like ServeAction.
func ServeActionRaw(n *Node, name string, def *msg.ActionDefinition, now func() msg.Time,
	accept func(goal []byte) (Execution, error)) (*ActionServer, error) {
	s := &ActionServer{node: n, name: name, def: def, now: now, accept: accept}
	s.ctx, s.stop = context.WithCancel(n.ctx)
	if err := s.open(); err != nil {
		s.Close()
		return nil, err
	}
	n.spawn(func() {
		tick := time.NewTicker(statusPeriod)
		defer tick.Stop()
		for s.ctx.Err() == nil {
			select {
			case <-tick.C:
				s.mu.Lock()
				s.publishStatus()
				s.mu.Unlock()
			case <-s.ctx.Done():
			}
		}
	})
	return s, nil
}

// open opens the topics. The topic of goals comes last, so that no client sends a goal before the others exist.
func (s *ActionServer) open() (err error) {
	n, opts := s.node, PubOptions{Queue: actionQueue}
	s.results, err = AdvertiseRaw(n, s.name+"/result", s.def.ActionResult, opts)
	if err = s.closeLater(s.results, err); err != nil {
		return err
	}
	s.feedback, err = AdvertiseRaw(n, s.name+"/feedback", s.def.ActionFeedback, opts)
	if err = s.closeLater(s.feedback, err); err != nil {
		return err
	}
	opts.Latch = true
	s.status, err = Advertise[msg.GoalStatusArray](n, s.name+"/status", statusType, opts)
	if err = s.closeLater(s.status, err); err != nil {
		return err
	}
	s.publishStatus()
	cancels, err := Subscribe(n, s.name+"/cancel", cancelType, s.cancelGoals)
	if err = s.closeLater(cancels, err); err != nil {
		return err
	}
	goals, err := SubscribeAs(n, s.name+"/goal", s.def.ActionGoal, s.receive)
	return s.closeLater(goals, err)
}

// closeLater makes Close close a topic, unless err says that it could not be opened. It returns err.
func (s *ActionServer) closeLater(topic io.Closer, err error) error {
	if err == nil {
		s.topics = append(s.topics, topic)
	}
	return err
}

// Name returns the name of the action, as it was given.
func (s *ActionServer) Name() string { return s.name }

// Close ends the context of the active goal and closes all topics. The call that carries out the goal may still finish;
// nobody receives its result. Close returns an error if the master does not answer, but the server is closed anyway.
func (s *ActionServer) Close() error {
	s.stop()
	var errs []error
	for _, t := range slices.Backward(s.topics) {
		errs = append(errs, t.Close())
	}
	return errors.Join(errs...)
}
