package reproduce

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/sensors/imaging"
	"github.com/omnipitch/omnipitch/worlds/action"
)

const (
	clearlyMore = 2.0 // an error that is this many times another error is clearly larger. 2 is a guess
	// length of the last part of the observed robot's line, cm: the trend holds if the robot is last seen before it. 20
	// cm is a guess: the robots' way during three images
	cardEnd = 20.0
)

// fault is one fault of the camera, or all faults together.
type fault struct {
	name string
	off  func(*imaging.Shutter)
}

var cardFaults = []fault{
	{"nothing", func(*imaging.Shutter) {}},
	{"motion blur", func(s *imaging.Shutter) { s.Exposure = 0 }},
	{"rolling shutter", func(s *imaging.Shutter) { s.Readout = 0 }},
	{"both", func(s *imaging.Shutter) { s.Exposure, s.Readout, s.Samples = 0, 0, 1 }},
}

// cardExposures are exposure times that are tried in addition to the world's.
var cardExposures = []time.Duration{40 * time.Millisecond, 80 * time.Millisecond}

func runCardSpeeds(ctx context.Context, t *Trial) error {
	w, err := t.Load(0)
	if err != nil {
		return err
	}
	pair, err := newCardPair(w, &t.cache)
	if err != nil {
		return err
	}
	exposures := cardExposures
	if t.Quick {
		pair.slow(3)
		exposures = nil
	}
	world := *shutterOf(pair.front)
	all := float64(len(cardStages) * (len(cardFaults) + len(exposures)))
	passes := make([][len(cardStages)]*cardDrive, len(cardFaults))
	for i := range cardFaults {
		for k := range cardStages {
			shutter := world
			cardFaults[i].off(&shutter)
			if passes[i][k], err = pair.drive(ctx, &cardStages[k], &shutter); err != nil {
				return err
			}
			t.Progress(float64(i*len(cardStages)+k+1) / all)
		}
	}
	reportCardSpeeds(t, pair, passes)
	enough := ""
	for i, exposure := range exposures {
		shutter := world
		shutter.Exposure = exposure
		ms := number(1000 * exposure.Seconds())
		var both [len(cardStages)]*cardDrive
		for k := range cardStages {
			if both[k], err = pair.drive(ctx, &cardStages[k], &shutter); err != nil {
				return err
			}
			t.Add(Aside(cardStages[k].name+", exposed for "+ms+" ms, without delay: error", 100*both[k].error(taken),
				"cm"))
			t.Add(Aside(cardStages[k].name+", exposed for "+ms+" ms: images in which the card is found",
				100*both[k].share(), "%"))
			t.Progress(float64(len(cardStages)*(len(cardFaults)+i)+k+1) / all)
		}
		if same, opposite := both[0].error(taken), both[1].error(taken); enough == "" && opposite >= clearlyMore*same {
			enough = fmt.Sprintf("With an exposure of %s ms, blur alone is sufficient: without any delay, the error in "+
				"opposite directions is %s cm, and the card is found in %s %% of the images; in the same direction it "+
				"is %s cm and %s %%. The number on the card and its surroundings then blend with its colour. The "+
				"paper's path, which undulates and ends early, resembles the path with such an exposure.",
				ms, number(100*opposite), number(100*both[1].share()), number(100*same),
				number(100*both[0].share()))
			both[1].plot(t, "exposed", cardStages[1].name+", exposed for "+ms+" ms")
		}
	}
	switch {
	case enough != "":
		t.Note("%s", enough)
	case len(exposures) > 0:
		t.Note("With none of the longer exposures is the error without delay in opposite directions %s times as large "+
			"as in the same direction.", number(clearlyMore))
	}
	return nil
}

// reportCardSpeeds adds the results of the stages; passes are indexed by the fault that is off, and by stage.
func reportCardSpeeds(t *Trial, p *cardPair, passes [][len(cardStages)]*cardDrive) {
	same, opposite := passes[0][0], passes[0][1]
	for k, s := range cardStages {
		t.Add(Aside(s.name+": relative speed", passes[0][k].relative, "m/s"))
	}
	slow, fast := 100*same.error(delivered), 100*opposite.error(delivered)
	t.Add(Trend("same direction: error when the image has come", slow, "cm", "acceptable", "less than 30 cm",
		slow < cardLimit))
	t.Add(Trend("opposite directions: error when the image has come, over that in the same direction", fast/slow, "",
		"terrible or even failed", "at least 2", fast/slow >= clearlyMore).
		because("%s cm", number(fast)))
	t.Add(Aside("same direction: images in which the card is found", 100*same.share(), "%"))
	t.Add(Aside("opposite directions: images in which the card is found", 100*opposite.share(), "%"))
	y := 100 * opposite.last
	t.Add(Trend("opposite directions: y at which the observed robot is seen last", y, "cm", "-127.9 cm",
		"before the last 20 cm", y > -100*cardReach+cardEnd))
	least, culprit := math.Inf(1), ""
	off := experiment.Plot{Name: "faults", Title: "errors without one fault", YLabel: "error, cm",
		Names: []string{"with all"}}
	for k, s := range cardStages {
		c := experiment.Curve{Name: s.name, Marks: true}
		add := func(what string, e float64) {
			if e *= 100; what != "" {
				t.Add(Aside(s.name+" without "+what+": error", e, "cm"))
				if k == 0 {
					off.Names = append(off.Names, "without "+what)
				}
				if k == 1 && what != "any" && !(e >= least) {
					least, culprit = e, what
				}
			}
			c.Add(float64(len(c.X)), e)
		}
		add("", passes[0][k].error(delivered))
		add("delay", passes[0][k].error(taken))
		for i := 1; i < len(cardFaults)-1; i++ {
			add(cardFaults[i].name, passes[i][k].error(delivered))
		}
		add("any", passes[len(cardFaults)-1][k].error(taken))
		off.Curves = append(off.Curves, c)
	}
	t.Add(Aside("opposite directions without the delay, by the card's height and size: error",
		100*opposite.error(bothWays), "cm"))
	t.Add(Aside("same direction: error across the line, where a delay shows none", 100*same.error(across), "cm"))
	t.Add(Aside("opposite directions: error across the line", 100*opposite.error(across), "cm"))
	if least*clearlyMore > fast {
		culprit = "more than one of these faults: without " + culprit
	} else {
		culprit += ": without it"
	}
	t.Note("The error grows with the relative speed because of %s, the error in opposite directions is %s cm instead of "+
		"%s cm. An image arrives %s ms after it was taken. Meanwhile the distance between the robots changes by %s cm "+
		"in opposite directions, and by %s cm in the same direction. Motion blurs the card horizontally. Its upper and "+
		"lower edges, which determine the position, stay in place, and its middle is that of the middle of the "+
		"exposure. A rolling shutter shears the card.",
		culprit, number(least), number(fast), number(1000*p.front.Latency.Seconds()),
		number(100*opposite.relative*p.front.Latency.Seconds()),
		number(100*same.relative*p.front.Latency.Seconds()))
	for k, s := range cardStages {
		passes[0][k].plot(t, []string{"same", "opposite"}[k], s.name+" (figure 7)")
	}
	t.Plot(off)
}

// The paper's lines and speeds, m and m/s.
const (
	cardSide  = 1.0 // distance of both lines from x = 0
	cardReach = 2.0 // |y| at the ends of the observed robot's line
	cardSpeed = 1.0 // the observer's speed, and the relative speed in the first stage
)

// cardStage is one of the two stages: start and speed of both robots along y.
type cardStage struct {
	name  string
	from  [2]float64 // y, m
	speed [2]float64 // m/s
}

var cardStages = [2]cardStage{
	{"same direction", [2]float64{-cardReach, -cardReach}, [2]float64{cardSpeed, 2 * cardSpeed}},
	{"opposite directions", [2]float64{0, cardReach}, [2]float64{cardSpeed, -2 * cardSpeed}},
}

// length returns the duration of a stage at constant speed.
func (s *cardStage) length() time.Duration {
	return time.Duration(2 * cardReach / math.Abs(s.speed[observed]) * float64(time.Second))
}

// cardSight is the observed robot's position according to an image of a stage, and its true position.
type cardSight struct {
	// positions at the time of the image: by the card's height, by the card's height and size, and the true position
	seen, both, truth pitch.Vec
	// positions at the arrival of the image: by the card's height with the observer's pose at that time, and the true
	// position
	late, truthLate pitch.Vec
}

// cardDrive is one drive through a stage.
type cardDrive struct {
	images         int
	sights         []cardSight
	self, own      []pitch.Vec // positions by their own localisation: of the observed robot, and of the observer
	truth          []pitch.Vec // true positions of the observed robot
	relative, last float64     // mean relative speed, m/s; y of the observed robot when its card was last seen, m
}

// error returns the root mean square of an error over all sights, in m. The given function returns the error of one
// sight. If there are no sights, the result is infinite.
func (p *cardDrive) error(of func(*cardSight) float64) float64 {
	sum := 0.0
	for i := range p.sights {
		e := of(&p.sights[i])
		sum += e * e
	}
	if len(p.sights) == 0 {
		return math.Inf(1)
	}
	return math.Sqrt(sum / float64(len(p.sights)))
}

// Errors of one image, m: at its time, on its arrival, by height and size at its time, and across the robots' lines.
func taken(s *cardSight) float64     { return apart(s.seen, s.truth) }
func delivered(s *cardSight) float64 { return apart(s.late, s.truthLate) }
func bothWays(s *cardSight) float64  { return apart(s.both, s.truth) }
func across(s *cardSight) float64    { return s.late[0] - s.truthLate[0] }

// share returns the fraction of images in which the card was found.
func (p *cardDrive) share() float64 { return float64(len(p.sights)) / float64(max(p.images, 1)) }

// runUp returns the time that the robots get for accelerating to their speeds: enough for each of them at four fifths
// of its greatest acceleration.
func (p *cardPair) runUp(s *cardStage) time.Duration {
	longest := 0.0
	for i := range s.speed {
		longest = max(longest, math.Abs(s.speed[i])/(0.8*p.w.Robots[i].Drive.MaxAccel))
	}
	return time.Duration(longest * float64(time.Second)).Round(time.Millisecond)
}

// way returns a robot's desired position (m) and speed (m/s) on its line at a time since the start of the run-up. The
// acceleration is constant during the run-up, then the speed is constant.
func (s *cardStage) way(robot int, t, runUp time.Duration) (y, v float64) {
	v = s.speed[robot]
	if t >= runUp {
		return s.from[robot] + v*(t-runUp).Seconds(), v
	}
	share := t.Seconds() / runUp.Seconds()
	return s.from[robot] - v*runUp.Seconds()/2*(1-share*share), v * share
}

// Gains of the controllers that drive the robots, 1/s. The controllers use true poses, since the driving is not judged.
const (
	wayGain     = 3.0
	headingGain = 4.0
)

// drive drives both robots through a stage.
func (p *cardPair) drive(ctx context.Context, s *cardStage, shutter *imaging.Shutter) (*cardDrive, error) {
	out := &cardDrive{last: math.NaN()}
	runUp := p.runUp(s)
	var begin, end time.Duration
	inside := func(t time.Duration) bool { return t >= begin && t < end }
	err := p.open(shutter, func(o *sensors.Observation) {
		if !inside(o.Stamp) {
			return
		}
		out.images++
		m, ok1 := p.find(p.finder, o)
		then, ok2 := p.eyes[observer].at(o.Stamp)
		now, ok3 := p.eyes[observer].tracker.Pose()
		at, ok4 := p.truths[o.Stamp]
		if !ok1 || !ok2 || !ok3 || !ok4 {
			return
		}
		late := p.sim.Truth()
		out.sights = append(out.sights, cardSight{
			seen: p.onField(then, &m, m.ByHeight), truth: planar(at[observed]).Pos, both: p.onField(then, &m,
				m.Distance),
			late: p.onField(now, &m, m.ByHeight), truthLate: planar(late.Robots[observed].PoseWB).Pos,
		})
		out.last = at[observed].Pos[1]
	})
	if err != nil {
		return nil, err
	}
	defer p.close()
	for i, path := range [2]*[]pitch.Vec{&out.own, &out.self} {
		p.eyes[i].seen = func(stamp time.Duration, e locate.Estimate) {
			if inside(stamp) {
				*path = append(*path, e.Pos)
			}
		}
	}
	start := p.sim.Truth().Time + cardSettle
	begin = start + runUp
	end = begin + s.length()
	heading := [2]float64{0, math.Pi}
	x := [2]float64{-cardSide, cardSide}
	var poses [2]locate.Pose
	for i := range poses {
		y, _ := s.way(i, 0, runUp)
		poses[i] = locate.Pose{Pos: pitch.Vec{x[i], y}, Heading: heading[i]}
	}
	if err := p.place(poses); err != nil {
		return nil, err
	}
	err = p.run(ctx, end+p.front.Latency+50*time.Millisecond, func(now time.Duration) error {
		for i := range heading {
			y, v := s.way(i, max(0, now-start), runUp)
			is := planar(p.sim.Truth().Robots[i].PoseWB)
			v += wayGain * (y - is.Pos[1])
			velocity := pitch.Turn(pitch.Vec{wayGain * (x[i] - is.Pos[0]), v}, -is.Heading)
			if err := p.sim.Do(&action.Drive{Robot: p.w.Robots[i].Name, VX: velocity[0], VY: velocity[1],
				Omega: headingGain * pitch.Wrap(heading[i]-is.Heading)}); err != nil {
				return err
			}
		}
		if inside(now) {
			t := p.sim.Truth()
			out.truth = append(out.truth, planar(t.Robots[observed].PoseWB).Pos)
			out.relative += t.Robots[observed].TwistWBInW.Lin.Sub(t.Robots[observer].TwistWBInW.Lin).Len()
		}
		return nil
	})
	out.relative /= float64(max(len(out.truth), 1))
	return out, err
}

// plot adds a plot of the paths in a stage, as in the paper's figure 7.
func (p *cardDrive) plot(t *Trial, name, title string) {
	var seen []pitch.Vec
	for i := range p.sights {
		seen = append(seen, p.sights[i].late)
	}
	var curves []experiment.Curve
	for _, x := range []struct {
		name string
		path []pitch.Vec
	}{{"by its card", seen}, {"by itself", p.self}, {"the observer, by itself", p.own}, {"where it is", p.truth}} {
		c := experiment.Curve{Name: x.name}
		for _, at := range x.path {
			c.Add(at[0], at[1])
		}
		curves = append(curves, c)
	}
	t.Plot(experiment.Plot{Name: name, Title: title, XLabel: "x, m", YLabel: "y, m", Square: true, Curves: curves})
}
