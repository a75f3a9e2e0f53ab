package export

import (
	"archive/zip"
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/recording"
	"github.com/omnipitch/omnipitch/robotio/refbox"
	"github.com/omnipitch/omnipitch/worlds"
)

// MSLConfig configures logs of the referee box.
type MSLConfig struct {
	Name string  // name of the match; the logs are NAME.A.msl and NAME.B.msl
	Rate float64 // reports of a team per second of sim time; the logs do not have more reports than the recording
}

// Validate reports every value that is out of range.
func (c MSLConfig) Validate() error {
	if !(c.Rate >= 1 && c.Rate <= 50) {
		return fmt.Errorf("rate = %v: must lie in [1, 50] Hz", c.Rate)
	}
	return nil
}

// truthType is the type of the recorded ground truth.
const truthType = "omnipitch_msgs/Truth"

// MSL writes a zip file of logs in the format of the referee box of the RoboCup Middle Size League. The logs contain
// the world states of team A, cyan, and of team B, magenta, in the coordinates of refbox.TeamFrame. The referee box
// writes Unix times. Instead, MSL writes the log time as timestamp and the sim time as gametimeMs. It leaves out the
// log of the referee's commands.
//
// It fails if the recording is damaged, if its ground truth is missing or not finite, if w fails, and when ctx ends.
//
// Source: RefBox of RoboCup-MSL, Team.pde (logWorldstate) and LogMerger.pde; wiki page Standard Logging, which asks for
// at least 10 reports per second.
func MSL(ctx context.Context, r *recording.Reader, s Selection, world *worlds.World, cfg MSLConfig, w io.Writer) error {
	p, err := s.pick(r, "topic of truth", func(c *recording.ChannelInfo) bool {
		return strings.Replace(c.Schema.Name, "/msg/", "/", 1) == truthType
	}, recording.ROSEncoding, recording.ROS2Encoding)
	if err != nil {
		return err
	}
	l := &mslLog{selected: p, period: time.Duration(float64(time.Second) / cfg.Rate),
		robots: map[string]*physics.Robot{}, radii: map[string]float64{}}
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
	l.field = model.Field
	for i := range model.Robots {
		l.robots[model.Robots[i].Name] = &model.Robots[i]
		l.radii[model.Robots[i].Name] = model.Robots[i].Body.Radius
	}
	for i := range model.Obstacles {
		l.radii[model.Obstacles[i].Name] = model.Obstacles[i].Radius()
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

// mslLog writes the logs of a recording.
type mslLog struct {
	*selected
	codec  *msg.Codec[msg.Truth]
	period time.Duration
	field  physics.Field
	robots map[string]*physics.Robot
	radii  map[string]float64 // radii of bodies, as the other team reports them
	truth  msg.Truth          // reused
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
		l.b = fmt.Appendf(l.b, `{"teamName": %q,"timestamp": %d,"gametimeMs": %d,"worldstate": `, team,
			m.LogTime.Milliseconds(), m.PublishTime.Milliseconds())
		if err := l.state(team); err != nil {
			return l.wrong(m, err)
		}
		_, err := w.Write(append(l.b, '}'))
		return err
	})
	if err == nil && first {
		err = fmt.Errorf("%s: has no truth in this part", l.reader.Path())
	}
	if err != nil {
		return err
	}
	_, err = w.WriteString("]\n")
	return err
}

// state appends a team's world state.
func (l *mslLog) state(team physics.Team) error {
	frame := refbox.NewTeamFrame(team, &l.field)
	w := refbox.WorldState{TeamName: string(team)}
	for i := range l.truth.Bodies {
		b := &l.truth.Bodies[i]
		p, o, v, ang := b.Pose.Position, b.Pose.Orientation, b.Twist.Linear, b.Twist.Angular
		pose := spatial.Pose{Pos: mgl64.Vec3{p.X, p.Y, p.Z}, Rot: mgl64.Quat{W: o.W, V: mgl64.Vec3{o.X, o.Y, o.Z}}}
		twist := spatial.Twist{Lin: mgl64.Vec3{v.X, v.Y, v.Z}, Ang: mgl64.Vec3{ang.X, ang.Y, ang.Z}}
		for _, x := range []float64{p.X, p.Y, p.Z, pose.Heading(), v.X, v.Y, v.Z, ang.Z} {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return errors.New("a body's state must be finite")
			}
		}
		switch robot := l.robots[b.Name]; {
		case b.Name == "ball":
			w.Balls = append(w.Balls, frame.Ball(pose.Pos, twist.Lin))
		case robot != nil && robot.Team == team:
			w.Robots = append(w.Robots, frame.Robot(robot.Number, pose, twist, b.Name == l.truth.HeldBy))
		default:
			w.Obstacles = append(w.Obstacles, frame.Obstacle(l.radii[b.Name], pose.Pos, twist.Lin))
		}
	}
	l.b = w.Append(l.b)
	l.b = l.b[:len(l.b)-1] // the NUL byte
	return nil
}
