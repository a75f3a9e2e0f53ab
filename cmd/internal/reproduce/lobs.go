package reproduce

import (
	"context"
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/seat"
	"github.com/omnipitch/omnipitch/cmd/refbot/soccer"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/node"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// lobCount is the number of lobs, and lobFrameTime the paper's processing time of a Kinect's frame, section 4.2, in ms.
const (
	lobCount     = 200
	lobFrameTime = 40.0
)

// A lob is judged until lobTime after it began. Its images are processed until lobWatch after it began, when it is
// above the Kinects' field of view or has arrived.
const (
	lobTime  = 3 * time.Second
	lobWatch = 900 * time.Millisecond
)

// lobPlay is what happened to the lobs of one run.
type lobPlay struct {
	goals []bool       // by lob
	down  []mgl64.Vec2 // where each lob came down, m
	over  []bool       // reports whether the lob has touched something
}

// lobRun holds the lobs of one world, and what the goalkeeper saw of them.
type lobRun struct {
	world    *worlds.World
	begins   []time.Duration // when each lob begins
	foreseen []mgl64.Vec2    // last prediction of where each lob lands, m; NaN if there was none
	millis   []float64       // processing time of each frame, ms
	colors   *vision.ColorTable
}

func runLobs(ctx context.Context, t *Trial) error {
	most := lobCount
	switch {
	case t.brief:
		most = 4
	case t.Quick:
		most = 30
	}
	var with, without, gain, errs, millis []float64
	var colors *vision.ColorTable
	tried := 0
	for draw := 0; tried < most; draw++ {
		run, err := t.loadLobs(ctx, draw, colors)
		if err != nil {
			return err
		}
		colors = run.colors
		open, err := run.open(ctx, 0)
		if err != nil {
			return err
		}
		free, err := run.open(ctx, farGoals)
		if err != nil {
			return err
		}
		blind, err := run.defend(ctx, false)
		if err != nil {
			return err
		}
		seeing, err := run.defend(ctx, true)
		if err != nil {
			return err
		}
		for i := range run.begins[:min(len(run.begins), most-tried)] {
			if e := run.foreseen[i].Sub(free.down[i]).Len(); !math.IsNaN(e) {
				errs = append(errs, 100*e)
			}
			if open.goals[i] {
				with, without = append(with, saved(seeing.goals[i])), append(without, saved(blind.goals[i]))
				gain = append(gain, with[len(with)-1]-without[len(without)-1])
			}
		}
		millis = append(millis, run.millis...)
		tried += len(run.begins)
		t.Progress(min(1, float64(tried)/float64(most)))
	}
	t.judgeLobs(min(tried, most), with, without, gain, errs, millis)
	return nil
}

// judgeLobs adds the findings. with, without and gain are in %, by lob that would have been a goal.
func (t *Trial) judgeLobs(tried int, with, without, gain, errs, millis []float64) {
	p := experiment.Plot{Name: "saved", Title: "Saved lobs", YLabel: "%", Bars: true,
		Names: []string{"without touchdown", "with touchdown"}, Curves: []experiment.Curve{{Name: "saved"}}}
	curve := &p.Curves[0]
	for i, c := range []struct {
		name  string
		saved []float64
	}{{"without", without}, {"with", with}} {
		share, low, high := interval(c.saved)
		low, high = max(0, low), min(100, high)
		t.Add(Aside("saved lobs, "+c.name+" touchdown", share, "%").within(low, high))
		curve.X, curve.Y, curve.Low, curve.High = append(curve.X, float64(i)), append(curve.Y, share),
			append(curve.Low, low), append(curve.High, high)
	}
	more, low, high := interval(gain)
	t.Add(Trend("saved lobs, more with touchdown", more, "points", "touchdown is fundamental for the goalkeeper",
		"the interval is above 0", low > 0).within(low, high))
	t.Add(Aside("mean error of the last predicted touchdown", mean(errs), "cm"))
	t.Add(AtMost("mean time of a Kinect's frame", mean(millis), lobFrameTime, "ms"))
	t.Plot(p)
	t.Note("Of %d lobs, %d would have been goals without a goalkeeper; the shares are of these. The goalkeeper predicted "+
		"the touchdown of %d. The truth is where the ball comes down on a field without goals.", tried, len(gain),
		len(errs))
}

// saved returns 100 for a lob that was no goal, else 0, in %.
func saved(goal bool) float64 {
	if goal {
		return 0
	}
	return 100
}

// loadLobs loads the trial's world with its lobs: the events that place the ball with an upward velocity.
func (t *Trial) loadLobs(ctx context.Context, draw int, colors *vision.ColorTable) (*lobRun, error) {
	w, err := t.Load(draw)
	if err != nil {
		return nil, err
	}
	run := &lobRun{world: w, colors: colors}
	for i := range w.Events {
		if p := w.Events[i].Place; p != nil && p.Name == "ball" && p.VZ > 0 {
			run.begins = append(run.begins, w.Events[i].At)
			run.foreseen = append(run.foreseen, mgl64.Vec2{math.NaN(), math.NaN()})
		}
	}
	if len(run.begins) == 0 {
		return nil, t.unfit("has no event that places the ball with vz_m_s above 0")
	}
	if len(w.Robots) != 1 || w.Robots[0].Team != physics.Cyan || w.Robots[0].Number != 1 {
		return nil, t.unfit("must have one robot, the goalkeeper of team cyan, with number = 1")
	}
	if err := seat.Check(w); err != nil {
		return nil, t.unfit("%w", err)
	}
	kinect, err := rawSensor(&w.Robots[0], "kinect")
	if err != nil {
		return nil, err
	}
	if run.colors == nil {
		run.colors, err = sightColors(ctx, w, w.Robots[0].Name, kinect.Name, true)
	}
	return run, err
}

// span returns how long a run lasts.
func (r *lobRun) span() time.Duration { return r.begins[len(r.begins)-1] + lobTime }

// at returns the lob that is judged at a time, and the time since it began. ok is false if there is none.
func (r *lobRun) at(now time.Duration) (lob int, since time.Duration, ok bool) {
	for i, begin := range r.begins {
		if since := now - begin; since > 0 && since <= lobTime {
			lob, ok = i, true
		}
	}
	if ok {
		since = now - r.begins[lob]
	}
	return lob, since, ok
}

// watch records the goals in a simulation, and where balls touch the floor.
func (r *lobRun) watch(sim *omnipitch.Sim) *lobPlay {
	p := &lobPlay{goals: make([]bool, len(r.begins)), down: make([]mgl64.Vec2, len(r.begins)),
		over: make([]bool, len(r.begins))}
	field, radius, step := &r.world.Field, r.world.Ball.Radius, r.world.Time.Step.Seconds()
	for i := range p.down {
		p.down[i] = mgl64.Vec2{math.NaN(), math.NaN()}
	}
	sim.OnStep(func(s *physics.Snapshot) {
		i, since, ok := r.at(s.Time)
		if !ok {
			return
		}
		ball := s.Ball.PosW
		p.goals[i] = p.goals[i] || ball[0] < -field.Length/2-radius && math.Abs(ball[1]) < field.GoalWidth/2
		if since > 100*time.Millisecond && !p.over[i] { // it has left the floor
			for k := range s.Touches {
				p.over[i] = p.over[i] || s.Touches[k].B == s.BallID()
			}
			// in the coming step the ball reaches the floor
			v := s.Ball.TwistInW.Lin
			if left := (radius - ball[2]) / v[2]; !p.over[i] && v[2] < 0 && left <= step {
				p.over[i], p.down[i] = true, ball.Add(v.Mul(left)).Vec2()
			}
		}
	})
	return p
}

// farGoals is by how much longer a field is on which no lob reaches a goal, m.
const farGoals = 10

// open returns what happens to the lobs without a goalkeeper, on a field that is longer, in m.
func (r *lobRun) open(ctx context.Context, longer float64) (*lobPlay, error) {
	w := *r.world
	w.Field.Length += longer
	sim, err := omnipitch.New(&w, omnipitch.Options{NoWorker: true})
	if err != nil {
		return nil, err
	}
	defer sim.Close()
	if err := sim.Do(&action.Place{Name: r.world.Robots[0].Name, X: r.world.Field.Length / 4, QW: 1}); err != nil {
		return nil, err
	}
	p := r.watch(sim)
	return p, steps(ctx, sim, r.span(), nil, func() {})
}

// defend returns what happens to the lobs with the goalkeeper. With sees it goes to where the lobs land.
func (r *lobRun) defend(ctx context.Context, sees bool) (play *lobPlay, err error) {
	player := soccer.NewPlayer(soccer.ByCards)
	var wrong error
	_, err = seat.Play(ctx, r.world, r.span(), []*soccer.Player{player}, func(sim *omnipitch.Sim) {
		play = r.watch(sim)
		if sees {
			wrong = r.look(sim, player, play)
		}
	})
	if err == nil {
		err = wrong
	}
	return play, err
}

// look lets the player see by the raw images of its Kinects. It keeps the predictions until a lob touches something in
// the play.
func (r *lobRun) look(sim *omnipitch.Sim, player *soccer.Player, play *lobPlay) error {
	robot := &r.world.Robots[0]
	var kinects []*sensors.Config
	for i := range robot.Sensors {
		if c := &robot.Sensors[i]; c.Kind == "kinect" {
			kinects = append(kinects, c)
		}
	}
	eyes := node.NewDepthEyes(len(kinects))
	odometry, err := rawSensor(robot, "odometry")
	if err != nil {
		return err
	}
	if err := listen(sim, robot.Name, odometry.Name, func(o *sensors.Observation) {
		p := o.Reading.(*sensors.OdometryReading).PoseOB
		eyes.Odometry(o.Stamp, locate.Pose{Pos: pitch.Vec{p.Pos[0], p.Pos[1]}, Heading: p.Heading()})
	}); err != nil {
		return err
	}
	truths := map[time.Duration]spatial.Pose{} // of the robot in the world
	sim.OnStep(func(s *physics.Snapshot) {
		if _, _, ok := r.at(s.Time); ok {
			truths[s.Time] = s.Robots[0].PoseWB
		} else {
			clear(truths)
		}
	})
	for i, c := range kinects {
		lens, mount, err := pinholeOf(sim, robot.Name, c)
		if err != nil {
			return err
		}
		eyes.Use(i, lens, mount, vision.KinectV2, r.colors)
		var mm []byte
		if _, err := sim.Listen(robot.Name, c.Name, omnipitch.Listener{
			Wants: func(abstraction.Level) bool {
				_, since, ok := r.at(sim.Truth().Time)
				return ok && since < lobWatch
			},
			Observe: func(o *sensors.Observation) {
				mm = millimetres(mm[:0], o.Depth)
				begun := time.Now()
				s := eyes.Look(i, o.Stamp, mm, eyes.Segment(i, o.Color.Pix))
				r.millis = append(r.millis, float64(time.Since(begun))/1e6)
				lob, _, ok := r.at(o.Stamp)
				if !s.Falls || !ok {
					return
				}
				f := s.Landing(o.Stamp)
				player.Falls(f)
				if !play.over[lob] {
					r.foreseen[lob] = truths[o.Stamp].Apply(f.Pos.Vec3(0)).Vec2()
				}
			}}); err != nil {
			return err
		}
	}
	return nil
}

// millimetres appends a depth image in the format 16UC1.
func millimetres(into []byte, d *render.Depth) []byte {
	for _, z := range d.Z {
		mm := render.Millimetres(z)
		into = append(into, byte(mm), byte(mm>>8))
	}
	return into
}
