package ros2

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
)

// servedGoal is a goal of an action server.
type servedGoal struct {
	info     goalInfo // the stamp is the time at which the goal was accepted
	status   int8
	run      Execution
	answered bool // whether the client has been told that the goal is accepted
	cancel   context.CancelCauseFunc
	ended    time.Time     // wall time at which the goal has reached its last status; zero before
	done     chan struct{} // is closed then
	result   []byte        // the response to requests for the result
}

// Reasons why the context of a goal ends.
var (
	errNewer     = errors.New("a newer goal has come")
	errCancelled = errors.New("a client has cancelled the goal")
)

// errors of goals that are rejected.
var (
	errNoGoalID = errors.New("goal_id: must not be all zeros")
	errOldGoal  = errors.New("goal_id: must be new")
)

// sendGoal handles a goal. The client learns whether it is accepted, before it begins.
func (s *ActionServer) sendGoal(_ context.Context, request, out []byte) ([]byte, func(), error) {
	id, goal, err := cutGoalID(request)
	if err != nil {
		return nil, nil, err
	}
	run, err := s.accept(goal)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ctx.Err() != nil:
		return nil, nil, s.ctx.Err()
	case id == goalID{}:
		err = errNoGoalID
	case s.find(id) != nil:
		err = errOldGoal
	}
	stamp := s.now()
	if err != nil {
		return appendGoalResponse(out, false, stamp), nil, err
	}
	g := &servedGoal{info: goalInfo{id, stamp}, status: goalAccepted, run: run, done: make(chan struct{})}
	s.goals = append(s.goals, g)
	if s.next != nil {
		s.end(s.next, goalAborted, nil, errNewer)
	}
	s.next = g
	if s.active != nil {
		s.active.cancel(errNewer)
	}
	s.publishStatus()
	return appendGoalResponse(out, true, stamp), func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		g.answered = true
		s.begin()
	}, nil
}

// appendGoalResponse appends the response to a goal: whether it is accepted, and a stamp.
func appendGoalResponse(b []byte, accepted bool, stamp msg.Time) []byte {
	b = append(b, 0, 1, 0, 0, 0, 0, 0, 0)
	if accepted {
		b[len(b)-4] = 1
	}
	return le.AppendUint32(le.AppendUint32(b, stamp.Sec), stamp.Nsec)
}

func (s *ActionServer) find(id goalID) *servedGoal {
	i := slices.IndexFunc(s.goals, func(g *servedGoal) bool { return g.info.GoalID == id })
	if i < 0 {
		return nil
	}
	return s.goals[i]
}

// begin starts to carry out the next goal, unless a goal is active or no goal waits.
func (s *ActionServer) begin() {
	g := s.next
	if s.active != nil || g == nil || !g.answered || s.ctx.Err() != nil {
		return
	}
	s.active, s.next = g, nil
	var ctx context.Context
	ctx, g.cancel = context.WithCancelCause(s.ctx)
	g.status = goalExecuting
	s.publishStatus()
	s.node.c.spawn(func() {
		defer g.cancel(nil)
		result, err := g.run(ctx, func(b []byte) { s.publishFeedback(g, b) })
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.active = nil; s.ctx.Err() != nil { // the server is closed
			return
		}
		stopped := ctx.Err() != nil && errors.Is(err, ctx.Err())
		if stopped {
			err = context.Cause(ctx)
		}
		switch {
		case err == nil:
			s.end(g, goalSucceeded, result, nil)
		case stopped && g.status == goalCanceling:
			s.end(g, goalCanceled, result, nil)
		default:
			s.end(g, goalAborted, result, err)
		}
		s.publishStatus()
		s.begin()
	})
}

// end gives a goal its last status. A reason is logged, because clients do not receive it.
func (s *ActionServer) end(g *servedGoal, status int8, result []byte, reason error) {
	response := slices.Clone(s.zero)
	if result != nil {
		b, err := s.results.Append(nil, result)
		if err == nil {
			response = b
		} else {
			status, reason = goalAborted, errors.Join(reason, err)
		}
	}
	if reason != nil {
		s.node.c.warn("goal aborted", "node", s.node.Name(), "action", s.name, "reason", reason)
	}
	response[encapsulation] = byte(status) // the first field
	g.status, g.result, g.ended, g.run = status, response, time.Now(), nil
	close(g.done)
}

// getResult handles a request for the result of a goal. It waits until the goal has ended.
func (s *ActionServer) getResult(ctx context.Context, request, out []byte) ([]byte, error) {
	id, _, err := cutGoalID(request)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	g := s.find(id)
	s.mu.Unlock()
	if g == nil {
		return append(out, s.zero...), nil // its status is goalUnknown
	}
	select {
	case <-g.done:
		return append(out, g.result...), nil
	case <-s.ctx.Done():
		return nil, nil
	case <-ctx.Done():
		return nil, nil
	}
}

// cancelGoals carries out a request to cancel goals: the goal with its id, all goals that were accepted up to its
// stamp, or all goals if it has neither.
func (s *ActionServer) cancelGoals(r goalInfo) *cancelResponse {
	s.mu.Lock()
	defer s.mu.Unlock()
	resp := &cancelResponse{ReturnCode: cancelNone}
	one, stamped := r.GoalID != goalID{}, r.Stamp != msg.Time{}
	if one && !stamped {
		if g := s.find(r.GoalID); g == nil {
			resp.ReturnCode = cancelUnknown
		} else if !g.cancelable() {
			resp.ReturnCode = cancelTerminated
		}
	}
	for _, g := range s.goals {
		named := one && g.info.GoalID == r.GoalID
		if !g.cancelable() || !(named || stamped && g.info.Stamp.Since() <= r.Stamp.Since() || !one && !stamped) {
			continue
		}
		resp.GoalsCanceling = append(resp.GoalsCanceling, g.info)
		if g == s.next {
			s.next = nil
			s.end(g, goalCanceled, nil, nil)
			continue
		}
		g.status = goalCanceling
		g.cancel(errCancelled)
	}
	if len(resp.GoalsCanceling) > 0 {
		s.publishStatus()
	}
	return resp
}

// cancelable reports whether the goal has not ended, and no client has cancelled it.
func (g *servedGoal) cancelable() bool { return g.status == goalAccepted || g.status == goalExecuting }

// publishStatus publishes the status of all goals. It first forgets goals that ended resultKept ago, and the oldest
// ended ones above maxGoals.
func (s *ActionServer) publishStatus() {
	over := len(s.goals) - maxGoals
	s.goals = slices.DeleteFunc(s.goals, func(g *servedGoal) bool {
		if g.ended.IsZero() || over <= 0 && time.Since(g.ended) < resultKept {
			return false
		}
		over--
		return true
	})
	m := &goalStatusArray{}
	for _, g := range s.goals {
		m.StatusList = append(m.StatusList, goalStatus{g.info, g.status})
	}
	s.status.Publish(m)
}

// publishFeedback publishes feedback, until the goal has ended.
func (s *ActionServer) publishFeedback(g *servedGoal, b []byte) {
	if len(b) < encapsulation {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if g.ended.IsZero() {
		s.feedback.Fill(func(out []byte) []byte {
			return append(append(append(out, b[:encapsulation]...), g.info.GoalID.UUID[:]...), b[encapsulation:]...)
		}, nil, nil)
	}
}
