package audit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/robotio/recording"
	"github.com/omnipitch/omnipitch/robotio/replay"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// File judges the decisions of a recorded match. It fails where the file is no recording of one with exact states from
// its beginning to its end, and ends with ctx.
func File(ctx context.Context, path string) (*Report, error) {
	rec, err := replay.Open(path)
	if err != nil {
		return nil, err
	}
	defer rec.Close()
	matches, err := Read(ctx, rec)
	if err != nil {
		if ctx.Err() == nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
		return nil, err
	}
	var r Report
	for i, m := range matches {
		r.Judge(m, i)
	}
	if err := rec.Damage(); err != nil {
		r.Damage = err.Error()
	}
	return &r, nil
}

// Read returns the matches of a recording, one of each beginning of the world.
func Read(ctx context.Context, rec *replay.Recording) ([]*Match, error) {
	if err := judgeable(rec); err != nil {
		return nil, err
	}
	var all []*Match
	for e := range rec.Episodes {
		world := rec.World
		if seed := rec.Episodes[e].Seed; world.Seed != seed {
			var err error
			if world, err = world.WithSeed(seed); err != nil {
				return nil, err
			}
		}
		m := NewMatch(world, world.Model())
		err := rec.EachStep(e, func(stepped, left *physics.Snapshot) error {
			if stepped.Step%1000 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			return m.State(stepped, left)
		})
		if err != nil {
			return nil, err
		}
		m.events()
		all = append(all, m)
	}
	return all, readTopics(rec, all)
}

// judgeable tells why a recording cannot be judged.
func judgeable(rec *replay.Recording) error {
	if rec.World.Referee != worlds.RefereeAuto {
		return fmt.Errorf(
			"referee = %q: the decisions of an automatic referee are judged, whose world has referee = %q",
			rec.World.Referee, worlds.RefereeAuto)
	}
	if !rec.Exact {
		return errors.New("has no exact states of all steps: record it with --record-exact, from its beginning to " +
			"its end")
	}
	for _, w := range rec.Restarts() {
		if !reflect.DeepEqual(w.Rules, rec.World.Rules) || !reflect.DeepEqual(w.Field, rec.World.Field) ||
			w.Referee != rec.World.Referee {
			return errors.New("its world began again with another field, referee or other rules: each has to be " +
				"judged by its own recording")
		}
	}
	return nil
}

// readTopics reads what was decided and commanded. A message belongs to the episode in which its stamp is that long
// after the beginning.
func readTopics(rec *replay.Recording, all []*Match) error {
	decisions, err := recorder.Codec[msg.Decision]("omnipitch_msgs/Decision")
	if err != nil {
		return err
	}
	games, err := recorder.Codec[msg.Game]("omnipitch_msgs/Game")
	if err != nil {
		return err
	}
	inputs, err := recorder.Codec[msg.Input]("omnipitch_msgs/Input")
	if err != nil {
		return err
	}
	messages := rec.Messages(0, func(c *recording.ChannelInfo) bool {
		return c.Topic == recorder.Decisions || c.Topic == recorder.Game || c.Topic == recorder.Inputs
	})
	of := func(logged, stamp time.Duration) (*Match, error) {
		for e := len(all) - 1; e >= 0; e-- {
			if rec.Episodes[e].Began == logged-stamp {
				return all[e], nil
			}
		}
		return nil, fmt.Errorf("is of no beginning of the world")
	}
	for {
		m, err := messages.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		switch m.Channel.Topic {
		case recorder.Decisions:
			err = readDecision(decisions, m.Data, func(stamp time.Duration) (*Match, error) {
				return of(m.LogTime,
					stamp)
			})
		case recorder.Game:
			err = readGame(games, m.Data, rec.World.Time.Step, func(stamp time.Duration) (*Match,
				error) {
				return of(m.LogTime, stamp)
			})
		case recorder.Inputs:
			err = readInput(inputs, m.Data, rec.World, func() (*Match, error) { return of(m.LogTime, m.PublishTime) })
		}
		if err != nil {
			return fmt.Errorf("topic %s at %v: %w", m.Channel.Topic, m.LogTime, err)
		}
	}
	carryOver(all)
	return nil
}

func readDecision(codec *msg.Codec[msg.Decision], data []byte, of func(time.Duration) (*Match, error)) error {
	var d msg.Decision
	if err := codec.Decode(data, &d); err != nil {
		return err
	}
	match, err := of(d.Header.Stamp.Since())
	if err != nil {
		return err
	}
	if d.Step > maxSteps {
		return fmt.Errorf("step = %d: must be one of the run", d.Step)
	}
	match.Decision(d)
	return nil
}

func readGame(codec *msg.Codec[msg.Game], data []byte, step time.Duration, of func(time.Duration) (*Match,
	error)) error {
	var g msg.Game
	if err := codec.Decode(data, &g); err != nil {
		return err
	}
	stamp := g.Header.Stamp.Since()
	match, err := of(stamp)
	if err != nil {
		return err
	}
	match.Game(int64(stamp/step), game.State{Phase: game.Phase(g.Phase), Half: game.Half(g.Half),
		SetPiece: game.Command(g.SetPiece), Team: physics.Team(g.Team),
		Score: game.Score{Cyan: int(g.Cyan), Magenta: int(g.Magenta)}})
	return nil
}

func readInput(codec *msg.Codec[msg.Input], data []byte, world *worlds.World, of func() (*Match, error)) error {
	var in msg.Input
	if err := codec.Decode(data, &in); err != nil {
		return err
	}
	got, err := recorder.DecodeInput(&in, world)
	if err != nil {
		return err
	}
	switch got.Action.(type) {
	case *action.GameCommand, *action.Place, *action.SendOff:
	default:
		return nil
	}
	match, err := of()
	if err != nil {
		return err
	}
	step := got.Step // at whose end it is done
	if got.Moment < omnipitch.BeforeEvents {
		step--
	}
	if _, ok := got.Action.(*action.GameCommand); ok {
		match.Commanded(got.Step)
	}
	match.done(step, got.Action)
	return nil
}

// carryOver has a game that begins as the one before ended be known from its beginning: only changes are recorded.
func carryOver(all []*Match) {
	var last game.State
	for _, m := range all {
		if len(m.games) == 0 || m.games[0].step > 0 {
			m.games = append([]gameAt{{0, last}}, m.games...)
		}
		last = m.games[len(m.games)-1].State
	}
}
