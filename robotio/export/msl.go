package export

import (
	"archive/zip"
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/robotio/recording"
	"github.com/omnipitch/omnipitch/robotio/ros1/dynamic"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/worlds"
)

// MSLConfig says how logs of the referee box are made.
type MSLConfig struct {
	Name string  // of the match: its logs are NAME.A.msl and NAME.B.msl
	Rate float64 // at which teams report, Hz of sim time, as far as the recording has so many
}

// Validate reports every value that is out of range.
func (c MSLConfig) Validate() error {
	if !(c.Rate >= 1 && c.Rate <= 50) {
		return fmt.Errorf("rate = %v: must lie in [1, 50] Hz", c.Rate)
	}
	return nil
}

// truthType is what recorders write of a run for others to read.
const truthType = "omnipitch_msgs/Truth"

// MSL writes the logs that the referee box of the RoboCup Middle Size League keeps of a match, as the zip file that it leaves: the world states of
// team A, cyan, and of team B, magenta. They hold the truth, as if teams saw all and did not err. Of what a team says of itself alone there is
// nothing: intentions are empty, targets are the robots' own poses, batteries are full. The box's times are Unix time: here they are the log time,
// and gametimeMs is the sim time. Its own log, of the referee's commands, is not written.
//
// A team's frame has its origin in the field's middle, y towards the opponent's goal and x to the right, metres; a robot that looks along y has the
// angle 0, radians, anticlockwise in [0, 2π).
//
// It fails where the recording does, where it has no truth or one that is not finite, where w fails, and with ctx.
//
// Source: RefBox of RoboCup-MSL, Team.pde (logWorldstate) and LogMerger.pde; wiki page Standard Logging, with at least 10 reports a second; the
// fields of a world state as cPacketRefboxLogger of the team Falcons writes them, which also says how angles are counted (RTDBAdapterLogging); that
// B's frame is A's turned, AudienceClient, FieldWidget3D.
func MSL(ctx context.Context, r *recording.Reader, s Selection, world *worlds.World, cfg MSLConfig, w io.Writer) error {
	p, err := s.pick(r, "topic of truth", func(c *recording.ChannelInfo) bool { return c.Schema.Name == truthType })
	if err != nil {
		return err
	}
	l := &mslLog{selected: p, period: time.Duration(float64(time.Second) / cfg.Rate), robots: map[string]*physics.Robot{}, radii: map[string]float64{}}
	for c := range p.channels {
		def, err := p.definition(c)
		if err == nil {
			l.codec, err = msg.Compile[msg.Truth](def)
		}
		if err != nil {
			return err
		}
	}
	model := world.Model()
	for i := range model.Robots {
		l.robots[model.Robots[i].Name] = &model.Robots[i]
		l.radii[model.Robots[i].Name] = model.Robots[i].Body.Radius
	}
	for i := range model.Obstacles {
		l.radii[model.Obstacles[i].Name] = math.Hypot(model.Obstacles[i].SizeX, model.Obstacles[i].SizeY) / 2
	}
	archive := zip.NewWriter(w)
	for _, team := range []struct {
		physics.Team
		suffix string
	}{{physics.Cyan, ".A.msl"}, {physics.Magenta, ".B.msl"}} {
		file, err := archive.Create(cfg.Name + team.suffix)
		if err != nil {
			return err
		}
		out := bufio.NewWriterSize(file, 64<<10)
		if err := l.write(ctx, team.Team, out); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return archive.Close()
}

// mslLog makes the logs of a recording.
type mslLog struct {
	*selected
	codec  *msg.Codec[msg.Truth]
	period time.Duration
	robots map[string]*physics.Robot
	radii  map[string]float64 // of bodies, as opponents see them
	truth  msg.Truth          // memory
	b      []byte
}

// write writes the log of a team.
func (l *mslLog) write(ctx context.Context, team physics.Team, w *bufio.Writer) error {
	due, first := time.Duration(0), true
	err := l.each(ctx, func(m recording.Message) error {
		if m.LogTime < due {
			return nil
		}
		due = m.LogTime - m.LogTime%l.period + l.period
		if err := l.codec.Decode(m.Data, &l.truth); err != nil {
			return l.wrong(m, err)
		}
		l.b = append(l.b[:0], ",\n"...)
		if first {
			l.b, first = append(l.b[:0], "[\n"...), false
		}
		l.b = fmt.Appendf(l.b, `{"teamName": %q,"timestamp": %d,"gametimeMs": %d,"worldstate": `, team, m.LogTime.Milliseconds(), m.PublishTime.Milliseconds())
		if err := l.state(team); err != nil {
			return l.wrong(m, err)
		}
		_, err := w.Write(append(l.b, '}'))
		return err
	})
	if err == nil && first {
		err = fmt.Errorf("%s: has no truth in that time", l.reader.Path())
	}
	if err != nil {
		return err
	}
	_, err = w.WriteString("]\n")
	return err
}

// state appends a team's world state.
func (l *mslLog) state(team physics.Team) error {
	var robots, balls, obstacles list
	for i := range l.truth.Bodies {
		b := &l.truth.Bodies[i]
		pose := spatial.Pose{Pos: [3]float64{b.Pose.Position.X, b.Pose.Position.Y, b.Pose.Position.Z}}
		pose.Rot.W, pose.Rot.V = b.Pose.Orientation.W, [3]float64{b.Pose.Orientation.X, b.Pose.Orientation.Y, b.Pose.Orientation.Z}
		x, y := teamAxes(team, pose.Pos[0], pose.Pos[1])
		vx, vy := teamAxes(team, b.Twist.Linear.X, b.Twist.Linear.Y)
		for _, v := range []float64{x, y, pose.Pos[2], pose.Heading(), vx, vy, b.Twist.Linear.Z, b.Twist.Angular.Z} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return errors.New("a body's state must be finite")
			}
		}
		switch robot := l.robots[b.Name]; {
		case i == 0: // as recorders have it
			balls.next()
			balls.vector(`{"position":`, x, y, pose.Pos[2])
			balls.vector(`,"velocity":`, vx, vy, b.Twist.Linear.Z)
			balls.text(`,"confidence":1.000}`)
		case robot != nil && robot.Team == team:
			angle := pose.Heading()
			if team == physics.Magenta {
				angle += math.Pi
			}
			angle = math.Mod(angle+2*math.Pi, 2*math.Pi)
			held := 0
			if b.Name == l.truth.HeldBy {
				held = 1
			}
			robots.next()
			robots.text(`{"id":` + strconv.Itoa(robot.Number))
			robots.vector(`,"pose":`, x, y, angle)
			robots.vector(`,"targetPose":`, x, y, angle)
			robots.vector(`,"velocity":`, vx, vy, b.Twist.Angular.Z)
			robots.text(`,"intention":"","batteryLevel":100.000,"ballEngaged":` + strconv.Itoa(held) + `}`)
		default:
			obstacles.next()
			obstacles.vector(`{"position":`, x, y)
			obstacles.vector(`,"velocity":`, vx, vy)
			obstacles.number(`,"radius":`, l.radii[b.Name])
			obstacles.text(`,"confidence":1.000}`)
		}
	}
	l.b = dynamic.AppendString(append(l.b, `{"type":"worldstate","teamName":`...), string(team))
	l.b = append(append(append(l.b, `,"intention":"","robots":[`...), robots...), `],"balls":[`...)
	l.b = append(append(append(append(l.b, balls...), `],"obstacles":[`...), obstacles...), `],"ageMs":0}`...)
	return nil
}

// teamAxes turns a vector on the floor from the world's axes, x towards the goal that cyan attacks, to a team's.
func teamAxes(team physics.Team, x, y float64) (tx, ty float64) {
	if team == physics.Magenta {
		return y, -x
	}
	return -y, x
}

// list is a JSON array without its brackets.
type list []byte

func (l *list) next() {
	if len(*l) > 0 {
		*l = append(*l, ',')
	}
}

func (l *list) text(s string) { *l = append(*l, s...) }

// number appends a number with three decimals, as the format asks for.
func (l *list) number(before string, v float64) {
	if math.Abs(v) < 0.0005 {
		v = 0 // and not -0.000
	}
	*l = strconv.AppendFloat(append(*l, before...), v, 'f', 3, 64)
}

func (l *list) vector(before string, v ...float64) {
	l.text(before)
	before = "["
	for _, x := range v {
		l.number(before, x)
		before = ","
	}
	l.text("]")
}
