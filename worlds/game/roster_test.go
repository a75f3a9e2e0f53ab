package game_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/game"
)

const (
	repair       = 20 * time.Second
	doubleYellow = 90 * time.Second
)

// squads returns a model of two teams of two robots, and an obstacle.
func squads() *physics.Model {
	m := &physics.Model{Field: field, Ball: physics.Ball{Radius: radius},
		Obstacles: []physics.Obstacle{{SizeX: 0.6, SizeY: 0.8}}}
	for _, team := range []physics.Team{physics.Cyan, physics.Magenta} {
		for n := 1; n <= 2; n++ {
			m.Robots = append(m.Robots, physics.Robot{Name: fmt.Sprint(team, n), Team: team, Number: n,
				Body: physics.Body{Radius: 0.25}})
		}
	}
	return m
}

// How commands change a robot's standing: its time off the field, and its yellow cards.
func TestStandings(t *testing.T) {
	const now = 100 * time.Second
	onField, never := game.Standing{}, time.Duration(math.MaxInt64)
	for _, c := range []struct {
		commands []game.Command
		want     game.Standing
		leaves   []bool
	}{
		{[]game.Command{game.Repair}, game.Standing{Out: game.Repair, Until: now + repair}, []bool{true}},
		{[]game.Command{game.Repair, game.Repair}, game.Standing{Out: game.Repair, Until: now + repair},
			[]bool{true, false}},
		{[]game.Command{game.Repair, game.RepairEnd}, game.Standing{Out: game.Repair, Until: now}, []bool{true, false}},
		{[]game.Command{game.RepairEnd}, onField, []bool{false}},
		{[]game.Command{game.YellowCard}, game.Standing{Yellow: 1}, []bool{false}},
		{[]game.Command{game.YellowCard, game.Repair}, game.Standing{Out: game.Repair, Until: now + repair, Yellow: 1},
			[]bool{false, true}},
		{[]game.Command{game.YellowCard, game.YellowCard}, game.Standing{Out: game.DoubleYellow,
			Until: now + doubleYellow}, []bool{false, true}},
		{[]game.Command{game.DoubleYellow}, game.Standing{Out: game.DoubleYellow, Until: now + doubleYellow},
			[]bool{true}},
		{[]game.Command{game.Repair, game.DoubleYellow}, game.Standing{Out: game.DoubleYellow,
			Until: now + doubleYellow}, []bool{true, false}},
		{[]game.Command{game.DoubleYellow, game.RepairEnd}, game.Standing{Out: game.DoubleYellow,
			Until: now + doubleYellow}, []bool{true, false}},
		{[]game.Command{game.YellowCard, game.RedCard}, game.Standing{Out: game.RedCard, Until: never},
			[]bool{false, true}},
		{[]game.Command{game.RedCard, game.RepairEnd, game.YellowCard, game.DoubleYellow},
			game.Standing{Out: game.RedCard, Until: never}, []bool{true, false, false, false}},
		{[]game.Command{game.Penalise, game.Repair, game.RepairEnd}, game.Standing{Out: game.Penalise,
			Until: now + repair}, []bool{true, false, false}},
		{[]game.Command{game.YellowCard, game.Penalise, game.Unpenalise}, game.Standing{Out: game.Unpenalise,
			Until: now, Yellow: 1}, []bool{false, true, false}},
		{[]game.Command{game.Penalise, game.Unpenalise, game.Penalise}, game.Standing{Out: game.Penalise,
			Until: now + repair}, []bool{true, false, false}},
		{[]game.Command{game.Unpenalise}, onField, []bool{false}},
		{[]game.Command{game.Penalise, game.RedCard, game.Unpenalise}, game.Standing{Out: game.RedCard,
			Until: never}, []bool{true, false, false}},
	} {
		r := game.NewRoster(squads(), repair, doubleYellow)
		robot := must.Get(r.Find(physics.Magenta, 1))(t)
		var leaves []bool
		for _, command := range c.commands {
			leaves = append(leaves, r.Command(command, robot, now))
		}
		if got := r.Standings(); got[2] != c.want || got[0] != onField || !slices.Equal(leaves, c.leaves) {
			t.Errorf("%v: %+v, leaves %v", c.commands, got, leaves)
		}
		saved := keyframe.Append(nil)
		r.Exchange(saved)
		again := game.NewRoster(squads(), repair, doubleYellow)
		restored := keyframe.Restore(saved.Data())
		again.Exchange(restored)
		if err := restored.End(); err != nil || !slices.Equal(again.Standings(), r.Standings()) {
			t.Errorf("%v: restored %+v, error %v", c.commands, again.Standings(), err)
		}
		r.Reset(now)
		if s := r.Standings()[2]; s.Yellow != 0 || s.Out != "" && s.Until != now {
			t.Errorf("%v: reset %+v", c.commands, s)
		}
	}
}

// A robot returns while play is stopped and its time has passed, to a free place.
func TestReturning(t *testing.T) {
	model := squads()
	for _, c := range []struct {
		name   string
		robot  int
		phase  game.Phase
		after  time.Duration
		change func(*physics.Snapshot)
		x      float64 // position at which it returns; NaN if it does not
	}{
		{"in time", 0, game.Stopped, repair, nil, -1},
		{"before a set piece", 0, game.SetPiece, repair, nil, -1},
		{"of magenta", 3, game.Stopped, repair, nil, 1},
		{"too early", 0, game.Stopped, repair - time.Millisecond, nil, math.NaN()},
		{"in play", 0, game.Playing, repair, nil, math.NaN()},
		{"parked", 0, game.Parked, repair, nil, math.NaN()},
		{"a robot there", 0, game.Stopped, repair,
			func(s *physics.Snapshot) { s.Robots[2].PoseWB.Pos = [3]float64{-1.69, -6, 0} }, -2.5},
		{"a robot near there", 0, game.Stopped, repair,
			func(s *physics.Snapshot) { s.Robots[2].PoseWB.Pos = [3]float64{-1.71, -6, 0} }, -1},
		{"the ball near there", 0, game.Stopped, repair, func(s *physics.Snapshot) {
			s.Ball.PosW = [3]float64{-1, -5.01,
				radius}
		}, -1.5},
		{"an obstacle there", 0, game.Stopped, repair,
			func(s *physics.Snapshot) { s.Obstacles[0].PoseWO.Pos = [3]float64{-1, -5.06, 0} }, -1.5},
	} {
		r := game.NewRoster(model, repair, doubleYellow)
		if !r.Command(game.Repair, c.robot, 0) {
			t.Fatal(c.name)
		}
		now := model.Start()
		now.Obstacles[0].PoseWO.Pos = [3]float64{0, 5, 0}
		for i := range now.Robots {
			now.Robots[i].PoseWB = r.ParkedPose(i)
		}
		now.Time = c.after
		if c.change != nil {
			c.change(now)
		}
		robot, poseWB, ok := r.Returning(now, c.phase)
		if ok == math.IsNaN(c.x) || ok && (robot != c.robot || poseWB.Pos != [3]float64{c.x, -6, 0}) {
			t.Errorf("%s: robot %d, %v, %v", c.name, robot, poseWB.Pos, ok)
		}
		must.Equal(t, r.Standings()[c.robot].Out == "", ok, "%s: it is on the field", c.name)
	}
}

// Robots off the field stand next to their own half, each at its own place, and do nothing.
func TestParkedPose(t *testing.T) {
	model := squads()
	r := game.NewRoster(model, repair, doubleYellow)
	for i := range model.Robots {
		at := r.ParkedPose(i).Pos
		if side := model.Robots[i].Team.Attacks(&field).Side; !(side*at[0] < 0 &&
			at[1] < -field.Width/2-physics.BoardThickness) {
			t.Errorf("%s stands at %v", model.Robots[i].Name, at)
		}
		for k := range i {
			if !(r.ParkedPose(k).Pos.Sub(at).Len() > 0.5) {
				t.Errorf("%s and %s stand at %v", model.Robots[i].Name, model.Robots[k].Name, at)
			}
		}
	}
	r.Command(game.RedCard, 1, 0)
	drive := physics.Command{TwistB: physics.PlanarTwist{VX: 1}, Dribble: true,
		Kick: physics.Kick{Mode: physics.FlatKick, Speed: 5}}
	commands := []physics.Command{drive, drive, drive, drive}
	if r.ClearCommands(commands); commands[0] != drive || commands[1] != (physics.Command{}) {
		t.Errorf("got %+v", commands[:2])
	}
}

// A penalised robot returns as soon as it is unpenalised, also in play, and not before.
func TestReturningUnpenalised(t *testing.T) {
	model := squads()
	r := game.NewRoster(model, repair, doubleYellow)
	now := model.Start()
	now.Time = 10 * repair
	r.Command(game.Penalise, 0, 0)
	if _, _, ok := r.Returning(now, game.Stopped); ok {
		t.Error("a penalised robot returned")
	}
	r.Command(game.Unpenalise, 0, now.Time)
	if _, _, ok := r.Returning(now, game.Parked); ok {
		t.Error("a robot returned while all leave the field")
	}
	if robot, _, ok := r.Returning(now, game.Playing); !ok || robot != 0 || r.Standings()[0] != (game.Standing{}) {
		t.Errorf("robot %d, %v: %+v", robot, ok, r.Standings()[0])
	}
}

// A robot that is penalised for a time returns after it, also in play, level with the penalty mark on the touch line
// that is farther from the ball, or nearer to the halfway line if others stand there.
func TestReturningFromPenalty(t *testing.T) {
	model := squads()
	model.Field.PenaltyMark = 3
	for _, c := range []struct {
		robot      int
		ball       float64 // y of the ball
		others     []float64
		x, y, head float64
	}{
		{0, 2, nil, -6, -6, math.Pi / 2},
		{0, -2, nil, -6, 6, -math.Pi / 2},
		{2, 2, nil, 6, -6, math.Pi / 2},
		{2, -2, []float64{6}, 5, 6, -math.Pi / 2},
	} {
		r := game.NewRoster(model, repair, doubleYellow)
		why := game.Removal{Offence: game.Pushing, For: 45 * time.Second}
		if !r.Penalise(c.robot, why, time.Second) || r.Penalise(c.robot, why, 2*time.Second) {
			t.Fatal("it does not leave once")
		}
		if s := r.Standings()[c.robot]; s.Out != game.Penalise || s.Until != 46*time.Second || s.Removal != why {
			t.Errorf("got %+v", s)
		}
		now := model.Start()
		for i := range now.Robots {
			now.Robots[i].PoseWB = r.ParkedPose(i)
		}
		now.Obstacles[0].PoseWO.Pos = [3]float64{0, 0, 0}
		for _, x := range c.others {
			now.Robots[1].PoseWB.Pos = [3]float64{x, c.y, 0}
		}
		now.Ball.PosW = [3]float64{0, c.ball, radius}
		now.Time = 46*time.Second - 1
		if _, _, ok := r.Returning(now, game.Playing); ok {
			t.Error("it returns too early")
		}
		now.Time++
		robot, poseWB, ok := r.Returning(now, game.Playing)
		if !ok || robot != c.robot || poseWB.Pos != [3]float64{c.x, c.y, 0} ||
			!(math.Abs(poseWB.Heading()-c.head) < 1e-9) || r.Standings()[c.robot] != (game.Standing{}) {
			t.Errorf("%+v: robot %d at %v with heading %v, %v", c, robot, poseWB.Pos, poseWB.Heading(), ok)
		}
	}
}
