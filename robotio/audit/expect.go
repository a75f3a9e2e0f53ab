package audit

import (
	"slices"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// expect returns what has to happen next, up to a step; nil if nothing has to.
func (c *course) expect(until int64) *event {
	var e *event
	switch c.stage {
	case stopped:
		e = c.announcement()
	case placing:
		e = c.startOfPlay(until)
	case playing:
		e = c.decisionOfPlay(until)
	case pausing:
		e = c.secondHalf()
	}
	if h := c.endOfHalf(); h != nil && (e == nil || h.step <= e.step) {
		e = h
	}
	if e == nil || e.step > until {
		return nil
	}
	return e
}

// announcement is the set piece: the ball is put in its place.
func (c *course) announcement() *event {
	if c.next == nil {
		return nil
	}
	e := &event{step: c.Match.since(c.since, c.world.Rules.Stop), known: c.known(c.at), next: c.next}
	if e.step > c.last() {
		return nil
	}
	e.known.Phase, e.known.SetPiece, e.known.Team = game.SetPiece, c.next.piece, c.next.team
	ball := c.beside(c.next.placeW, e.step)
	e.ball = &ball
	return e
}

// startOfPlay comes when all robots keep their places, or have had the time to.
func (c *course) startOfPlay(until int64) *event {
	if c.next == nil {
		return nil
	}
	rules, known := &c.world.Rules, c.known(c.at)
	late := c.Match.since(c.since, rules.PlaceMax)
	for n := c.Match.since(c.since, rules.PlaceMin); n <= min(until, c.last()); n++ {
		robots, rooms := c.tooNear(c.next.piece, c.next.team, c.next.placeW, n)
		if len(robots) > 0 && n < late {
			continue
		}
		e := &event{step: n, known: known, next: c.next}
		e.known.Phase = game.Playing
		if len(robots) > 0 && c.on("encroachment") {
			e.verdict = c.encroachment(n, robots, rooms)
		}
		if at := c.states[n].floor(); c.beyond(far(at, c.next.placeW), c.world.Rules.PutBack) { // it is put back
			e.ball = &c.next.placeW
		} else {
			e.ball = &at
		}
		return e
	}
	return nil
}

func (c *course) encroachment(n int64, robots []int, rooms []float64) *verdict {
	v := &verdict{rule: "encroachment", robots: robots, against: c.team(robots[0])}
	if slices.ContainsFunc(robots, func(r int) bool { return c.team(r) != v.against }) {
		v.against = ""
	}
	v.rests("time that robots had", c.elapsed(c.since, n).Seconds(), c.world.Rules.PlaceMax.Seconds())
	for i, r := range robots {
		v.rests(c.name(r)+" from the ball", far(c.states[n].robots[r], c.next.placeW), rooms[i])
	}
	return v
}

// decisionOfPlay is the one that stops play, or that all may play the ball.
func (c *course) decisionOfPlay(until int64) *event {
	if c.play.muted {
		return nil
	}
	known := c.known(c.at)
	step, v := c.play.decided(c.at, until)
	if at, lapsed := c.play.taken(until); lapsed && at > c.at && (v == nil || at < step) {
		v := &verdict{rule: "lapse", against: c.play.whose}
		v.rests("time since the start", c.elapsed(c.play.start, at).Seconds(), c.world.Rules.Take.Seconds())
		v.rests("ball moved", far(c.states[at].floor(), c.play.placeW), c.world.Rules.InPlay)
		return &event{step: at, verdict: v, known: known}
	}
	if v == nil {
		return nil
	}
	known.Phase, known.SetPiece, known.Team = game.Stopped, "", ""
	switch v.goal {
	case physics.Cyan:
		known.Score.Cyan++
	case physics.Magenta:
		known.Score.Magenta++
	}
	return &event{step: step, verdict: v, known: known, next: &setPiece{v.command, v.team, v.ballW}}
}

// endOfHalf comes when its time is over.
func (c *course) endOfHalf() *event {
	if c.half < 0 || !c.on("half") || c.stage == left {
		return nil
	}
	n := max(c.Match.since(c.half, c.world.Rules.Half), c.at+1)
	if n > c.last() {
		return nil
	}
	known := c.known(c.at)
	v := &verdict{rule: "half", command: game.HalfTime}
	if known.Half == game.Half(game.SecondHalf) {
		v.command = game.EndGame
	}
	v.rests("time", c.elapsed(c.half, n).Seconds(), c.world.Rules.Half.Seconds())
	return &event{step: n, verdict: v, known: game.State{Phase: game.Stopped, Half: game.Half(v.command),
		Score: known.Score}}
}

// secondHalf begins with a stop, and the others' kick-off.
func (c *course) secondHalf() *event {
	n := c.Match.since(c.since, c.world.Rules.Break)
	if n > c.last() {
		return nil
	}
	return &event{step: n, known: game.State{Phase: game.Stopped, Half: game.Half(game.SecondHalf),
		Score: c.known(c.at).Score},
		next: &setPiece{piece: game.Kickoff, team: against(c.kicksOff())}}
}

// adopt goes on from what has happened.
func (c *course) adopt(o *outcome) {
	was := c.known(o.step - 1)
	is := c.known(o.step)
	c.at = o.step
	if o.missed && is == was { // what follows it would be missed again and again
		c.play.muted = true
		if o.event.verdict != nil && o.event.verdict.rule == "half" {
			c.half = -1
		}
		if c.stage != playing {
			c.next = nil
		}
		return
	}
	if is == was {
		return
	}
	if e := o.event; e != nil && e.next != nil && is == e.known {
		c.next = e.next
	} else if is.Phase != game.SetPiece {
		c.next = c.decidedNext(o.step)
	}
	if o.others {
		if c.stage != left {
			c.lefts = append(c.lefts, span{o.step + 1, c.last()})
		}
		c.stage = left
	}
	c.follow(o.step, was, is)
}

// decidedNext returns by which set piece play goes on by a decision that was made in a step.
func (c *course) decidedNext(step int64) *setPiece {
	for i := range c.decisions {
		if d := &c.decisions[i]; int64(d.Step) == step && d.Command != "" {
			return &setPiece{game.Command(d.Command), physics.Team(d.Team), [2]float64{d.Ball.X, d.Ball.Y}}
		}
	}
	return nil
}

// follow enters the stage of what the referee box knows from a step on.
func (c *course) follow(step int64, was, is game.State) {
	wasLeft := c.stage == left
	if wasLeft && is.Phase == game.Playing && was.Phase != game.Playing {
		c.lefts[len(c.lefts)-1].to = step
	}
	floor := [2]float64{c.states[step].left[0], c.states[step].left[1]}
	c.since = step
	if is.Half != was.Half {
		c.half = -1
	}
	switch {
	case is.Phase == game.Playing && was.Phase != game.Playing:
		c.play = play{Match: c.Match, start: step, piece: is.SetPiece, whose: is.Team, placeW: floor}
		if c.next != nil && !wasLeft {
			c.play.placeW = c.next.placeW
		}
		if wasLeft { // the referee sees it with the next state
			c.play.start = min(step+1, c.last())
			at := c.states[c.play.start].ball
			c.play.placeW = [2]float64{at[0], at[1]}
		}
		if c.half < 0 {
			c.half = c.play.start
		}
		c.stage = playing
	case wasLeft:
	case is.Phase == game.Playing: // as before
	case is.Half == game.Half(game.HalfTime):
		c.stage = pausing
	case is.Half == game.Half(game.EndGame):
		c.stage = over
	case is.Phase == game.SetPiece:
		c.stage = placing
		c.next = &setPiece{is.SetPiece, is.Team, floor}
	default:
		c.stage = stopped
	}
}
