package ros1

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
)

// Reasons why goals are recalled or preempted.
var (
	errNewer     = errors.New("a newer goal has come")
	errCancelled = errors.New("a client has cancelled the goal")
)

// final reports whether a status is the last one of its goal.
func final(status uint8) bool {
	return status != msg.GoalPending && status != msg.GoalActive && status != msg.GoalPreempting &&
		status != msg.GoalRecalling
}

// after reports whether a time is later than another.
func after(a, b msg.Time) bool { return a.Since() > b.Since() }

// receive receives a goal.
func (s *ActionServer) receive(b []byte) error {
	id, goal, err := cutGoal(b)
	if err != nil {
		return err
	}
	if len(id.ID) > maxGoalID {
		return fmt.Errorf("goal_id.id has %d bytes: must have at most %d", len(id.ID), maxGoalID)
	}
	run, refused := s.accept(goal)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return nil
	}
	if i := slices.IndexFunc(s.goals, func(g *servedGoal) bool { return g.status.GoalID.ID == id.ID }); i >= 0 {
		if g := s.goals[i]; g.status.Status == msg.GoalRecalling { // the request to cancel it came first
			s.end(g, msg.GoalRecalled, "", nil)
		}
		return nil
	}
	now := s.now()
	if after(s.lastCancelled, now) && after(s.newest, now) { // the clock went back
		s.lastCancelled = msg.Time{}
	}
	s.newest = now
	sent := id.Stamp
	if id.Stamp == (msg.Time{}) {
		id.Stamp = now
	}
	if id.ID == "" {
		s.made++
		id.ID = fmt.Sprintf("%s-%d-%v", s.node.name, s.made, now)
	}
	g := &servedGoal{status: msg.GoalStatus{GoalID: id}, run: run}
	s.goals = append(s.goals, g)
	time.AfterFunc(answerTime, func() { s.announce(g) })
	switch older := func(than *servedGoal) bool { return than != nil && after(than.status.GoalID.Stamp, id.Stamp) }; {
	case sent != (msg.Time{}) && !after(sent, s.lastCancelled):
		s.end(g, msg.GoalRecalled, "its stamp is before the last request to cancel goals", nil)
	case refused != nil:
		s.end(g, msg.GoalRejected, refused.Error(), nil)
	case older(s.active) || older(s.next):
		s.end(g, msg.GoalRecalled, errNewer.Error(), nil)
	default:
		if s.next != nil {
			s.end(s.next, msg.GoalRecalled, errNewer.Error(), nil)
		}
		s.next = g
		if s.active != nil {
			s.active.cancel(errNewer)
		}
		s.begin()
	}
	return nil
}

// announce publishes the messages about a goal that were kept back until now.
func (s *ActionServer) announce(g *servedGoal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g.known = true
	for _, send := range g.unsent {
		send()
	}
	g.unsent = nil
	s.publishStatus()
}

// publish publishes a result or feedback of a goal, once it is known.
func (s *ActionServer) publish(g *servedGoal, to *RawPublisher, body []byte) {
	m := appendAction(nil, s.now(), &g.status, body)
	if !g.known {
		g.unsent = append(g.unsent, func() { to.Publish(m) })
		return
	}
	to.Publish(m)
}

// begin starts to carry out the next goal, unless a goal is active or no goal waits.
func (s *ActionServer) begin() {
	g := s.next
	if s.active != nil || g == nil {
		return
	}
	s.active, s.next = g, nil
	var ctx context.Context
	ctx, g.cancel = context.WithCancelCause(s.ctx)
	g.status.Status = msg.GoalActive
	s.publishStatus()
	s.node.spawn(func() {
		defer g.cancel(nil)
		result, err := g.run(ctx, func(b []byte) { s.publishFeedback(g, b) })
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.active = nil; s.ctx.Err() != nil { // the server is closed
			return
		}
		switch {
		case err == nil:
			s.end(g, msg.GoalSucceeded, "", result)
		case ctx.Err() != nil && errors.Is(err, ctx.Err()):
			s.end(g, msg.GoalPreempted, context.Cause(ctx).Error(), result)
		default:
			s.end(g, msg.GoalAborted, err.Error(), result)
		}
		s.begin()
	})
}

// end gives a goal its last status and publishes its result.
func (s *ActionServer) end(g *servedGoal, status uint8, text string, result []byte) {
	g.status.Status, g.status.Text, g.ended, g.run = status, text, time.Now(), nil
	if result == nil {
		result = make([]byte, s.def.Result.MinSize)
	}
	s.publish(g, s.results, result)
	s.publishStatus()
}

// cancelGoals carries out a request to cancel goals: the goal with its id, all goals up to its stamp, or all goals if
// it has neither.
func (s *ActionServer) cancelGoals(id *msg.GoalID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(id.ID) > maxGoalID || s.ctx.Err() != nil {
		return
	}
	stamped, found := id.Stamp != (msg.Time{}), false
	for _, g := range slices.Clone(s.goals) {
		own := &g.status.GoalID
		found = found || own.ID == id.ID
		if !(id.ID == "" && !stamped || own.ID == id.ID || stamped && !after(own.Stamp, id.Stamp)) {
			continue
		}
		switch g {
		case s.next:
			s.next = nil
			s.end(g, msg.GoalRecalled, errCancelled.Error(), nil)
		case s.active:
			g.status.Status = msg.GoalPreempting
			s.publishStatus()
			g.cancel(errCancelled)
		}
	}
	if id.ID != "" && !found { // the goal may come later
		s.goals = append(s.goals, &servedGoal{ended: time.Now(), known: true,
			status: msg.GoalStatus{GoalID: *id, Status: msg.GoalRecalling}})
	}
	if after(id.Stamp, s.lastCancelled) {
		s.lastCancelled = id.Stamp
	}
}

// publishStatus publishes the status of all known goals. It first forgets goals that ended statusKept ago, and the
// oldest ended ones above maxGoals.
func (s *ActionServer) publishStatus() {
	over := len(s.goals) - maxGoals
	s.goals = slices.DeleteFunc(s.goals, func(g *servedGoal) bool {
		if g.ended.IsZero() || over <= 0 && time.Since(g.ended) < statusKept {
			return false
		}
		over--
		return true
	})
	m := &msg.GoalStatusArray{Header: msg.Header{Stamp: s.now()}}
	for _, g := range s.goals {
		if g.known {
			m.StatusList = append(m.StatusList, g.status)
		}
	}
	s.status.Publish(m)
}

// publishFeedback publishes feedback, until the goal has ended.
func (s *ActionServer) publishFeedback(g *servedGoal, feedback []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !final(g.status.Status) {
		s.publish(g, s.feedback, feedback)
	}
}
