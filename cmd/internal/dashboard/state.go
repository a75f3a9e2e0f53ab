package dashboard

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/robotio/refbox"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/radio"
)

// stateJSON is a state as clients receive it, in the units of world files. Robots, obstacles and levels are in the
// order of /api/world.
type stateJSON struct {
	World int     `json:"world"` // id of its world in /api/world
	Time  float64 `json:"time_s"`
	// in a run, the same as time_s; in a replay, the time since the start of the recorded run, across restarts
	At        float64     `json:"at_s"`
	Step      int64       `json:"step"`
	Paused    bool        `json:"paused"`
	Speed     string      `json:"speed"`
	Factor    float64     `json:"factor"`             // real-time factor over the last second; 0 while unknown
	Target    float64     `json:"target"`             // target real-time factor; 0: as fast as possible
	Recorded  bool        `json:"recorded,omitempty"` // by POST /api/recordings
	Ball      *ballJSON   `json:"ball,omitempty"`     // nil: the world has no ball
	Robots    []robotJSON `json:"robots"`
	Obstacles []poseJSON  `json:"obstacles"`
	Levels    []string    `json:"levels"` // level of the next frame of each sensor
	Carpet    string      `json:"carpet"` // present colour of the carpet, #rrggbb
	Game      gameJSON    `json:"game"`
	Log       uint64      `json:"log"` // index of the newest entry of /api/log
}

type ballJSON struct {
	X      float64 `json:"x_m"`
	Y      float64 `json:"y_m"`
	Z      float64 `json:"z_m"` // height of the ball's centre
	VX     float64 `json:"vx_m_s"`
	VY     float64 `json:"vy_m_s"`
	VZ     float64 `json:"vz_m_s"`
	HeldBy string  `json:"held_by,omitempty"`
}

type poseJSON struct {
	X       float64 `json:"x_m"`
	Y       float64 `json:"y_m"`
	Heading float64 `json:"heading_deg"`
	Absent  bool    `json:"absent,omitempty"` // it is not in the world; its place then means nothing
}

type robotJSON struct {
	poseJSON
	VX     float64    `json:"vx_m_s"`
	VY     float64    `json:"vy_m_s"`
	Out    string     `json:"out,omitempty"`    // why the robot is off the field
	Yellow int        `json:"yellow,omitempty"` // number of yellow cards
	Radio  *radioJSON `json:"radio,omitempty"`
	// of a robot that walks or plays animations
	Motion *motionJSON `json:"motion,omitempty"`
}

// motionJSON is what a robot with legs does, and how its trunk leans.
type motionJSON struct {
	State    string  `json:"state"`
	Progress float64 `json:"progress,omitempty"` // of an animation, per cent
	Roll     float64 `json:"roll_deg"`
	Pitch    float64 `json:"pitch_deg"`
}

// motionOf returns the motion of a robot, or nil if the robot has neither legs nor animations.
func motionOf(r *worlds.Robot, now *physics.RobotState) *motionJSON {
	if r.Drive.Walk == nil && r.Motion == nil && len(r.Animations) == 0 {
		return nil
	}
	roll, pitch, _ := now.PoseWB.RollPitchYaw()
	return &motionJSON{State: now.Motion.String(), Progress: float64(now.Progress),
		Roll: rounded(roll / spatial.Degree), Pitch: rounded(pitch / spatial.Degree)}
}

// radioJSON is the state of a robot's radio: counts of messages since the start of the run, and the last message.
type radioJSON struct {
	Off      bool     `json:"off,omitempty"`
	Sent     uint64   `json:"sent"`
	Dropped  uint64   `json:"dropped"`
	Received uint64   `json:"received"`
	Lost     uint64   `json:"lost"`
	UnderWay int      `json:"under_way"`
	Heard    *float64 `json:"heard_s,omitempty"` // sim time at which the last message reached the robot
	Delay    *float64 `json:"delay_s,omitempty"` // of that message
}

func radioOf(r *radio.Status) *radioJSON {
	j := &radioJSON{Off: r.Off, Sent: r.Sent, Dropped: r.Dropped, Received: r.Received, Lost: r.Lost,
		UnderWay: r.UnderWay}
	if r.Received > 0 {
		j.Heard, j.Delay = new(rounded(r.Heard.Seconds())), new(rounded(r.Delay.Seconds()))
	}
	return j
}

type gameJSON struct {
	Phase    string `json:"phase"`
	Half     string `json:"half"`
	SetPiece string `json:"set_piece,omitempty"`
	Team     string `json:"team,omitempty"`
	Cyan     int    `json:"cyan"`
	Magenta  int    `json:"magenta"`

	Question *questionJSON `json:"question,omitempty"` // of the referee box
}

// questionJSON asks which robot a command of the referee box is for.
type questionJSON struct {
	Command string  `json:"command"`
	Team    string  `json:"team"`
	Numbers []int   `json:"numbers"`
	Waits   float64 `json:"waits_s"` // sim time for which the question waits for its answer
}

// stateOf encodes a state. Any goroutine may call it.
func stateOf(sim *omnipitch.Sim, at *instant) *stateJSON {
	truth, f := &at.truth, sim.Clock().Factor()
	b := &truth.Ball
	s := &stateJSON{
		World: at.worlds, Time: truth.Time.Seconds(), At: at.at.Seconds(), Step: truth.Step,
		Paused: sim.Clock().Paused(),
		Speed:  f.Speed.String(), Factor: rounded(f.Measured), Target: f.Target,
		Ball: &ballJSON{X: rounded(b.PosW[0]), Y: rounded(b.PosW[1]), Z: rounded(b.PosW[2]),
			VX: rounded(b.TwistInW.Lin[0]), VY: rounded(b.TwistInW.Lin[1]), VZ: rounded(b.TwistInW.Lin[2])},
		Robots: make([]robotJSON, len(truth.Robots)), Obstacles: make([]poseJSON, len(truth.Obstacles)),
		Levels: []string{}, Carpet: sRGB(at.carpet),
		Game: gameJSON{string(at.game.Phase), string(at.game.Half), string(at.game.SetPiece), string(at.game.Team),
			at.game.Score.Cyan, at.game.Score.Magenta, nil},
	}
	if q := at.question; q != nil {
		s.Game.Question = &questionJSON{string(q.Command), string(q.Team), q.Numbers, refbox.AnswerTime.Seconds()}
	}
	robots := at.world.Robots
	if at.world.Ball.Absent {
		s.Ball = nil
	} else if i := b.HeldBy; i >= 0 {
		s.Ball.HeldBy = robots[i].Name
	}
	for i := range truth.Robots {
		r := &truth.Robots[i]
		s.Robots[i] = robotJSON{poseJSON: poseOf(r.PoseWB), VX: rounded(r.TwistWBInW.Lin[0]),
			VY: rounded(r.TwistWBInW.Lin[1])}
		s.Robots[i].Motion = motionOf(&robots[i], r)
		if i < len(at.standings) {
			s.Robots[i].Out, s.Robots[i].Yellow = string(at.standings[i].Out), at.standings[i].Yellow
		}
		if i < len(at.radios) && robots[i].Radio != nil {
			s.Robots[i].Radio = radioOf(&at.radios[i])
		}
		for k := range robots[i].Sensors {
			// cannot fail: the sensor belongs to the world
			level, _ := sim.Sensors().Level(robots[i].Name, robots[i].Sensors[k].Name)
			s.Levels = append(s.Levels, string(level))
		}
	}
	for i := range truth.Obstacles {
		s.Obstacles[i] = poseOf(truth.Obstacles[i].PoseWO)
	}
	return s
}

func poseOf(p spatial.Pose) poseJSON {
	return poseJSON{rounded(p.Pos[0]), rounded(p.Pos[1]), rounded(p.Heading() / spatial.Degree), p.Absent()}
}

// sRGB returns a reflectance, linear red, green and blue, as #rrggbb in sRGB.
func sRGB(linear mgl32.Vec3) string {
	var v [3]byte
	for i := range v {
		v[i] = byte(math.Round(255 * render.Encoded(min(max(float64(linear[i]), 0), 1))))
	}
	return fmt.Sprintf("#%x", v)
}

// rounded rounds to four decimals: a tenth of a millimetre.
func rounded(x float64) float64 { return math.Round(x*1e4) / 1e4 }
