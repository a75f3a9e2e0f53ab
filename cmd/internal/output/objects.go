package output

import (
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors"
)

// frameJSON identifies a frame of a sensor.
type frameJSON struct {
	Robot  string  `json:"robot"`
	Sensor string  `json:"sensor"`
	Level  string  `json:"level"`
	Frame  uint64  `json:"frame"`
	Stamp  float64 `json:"stamp_s"`
}

func frameOf(o *sensors.Observation) frameJSON {
	return frameJSON{o.Robot, o.Sensor, string(o.Level), o.Frame, o.Stamp.Seconds()}
}

// objectsJSON is the output of a camera at a level without images. Positions are in the frame of the robot, all values
// in SI units.
type objectsJSON struct {
	frameJSON
	Self      *selfJSON                    `json:"self,omitempty"`
	Objects   []detectionJSON              `json:"objects"`
	Goals     []goalJSON                   `json:"goals,omitempty"`
	Lines     []abstraction.LineObject     `json:"lines,omitempty"`
	Crossings []abstraction.CrossingObject `json:"crossings,omitempty"`
	Circles   []mgl64.Vec2                 `json:"circles_m,omitempty"`
}

type goalJSON struct {
	Name  string      `json:"name"`
	Left  *mgl64.Vec3 `json:"left_m,omitempty"`
	Right *mgl64.Vec3 `json:"right_m,omitempty"`
}

type selfJSON struct {
	Position mgl64.Vec3 `json:"position_m"`
	Heading  float64    `json:"heading_rad"`
}

type detectionJSON struct {
	Kind      string         `json:"kind"`
	Name      string         `json:"name,omitempty"`
	Team      string         `json:"team,omitempty"`
	Visible   float64        `json:"visible_fraction"`
	Position  mgl64.Vec3     `json:"position_m"`
	Velocity  *mgl64.Vec3    `json:"velocity_m_s,omitempty"` // absent while the tracker has no estimate yet
	Touchdown *touchdownJSON `json:"touchdown,omitempty"`
}

// touchdownJSON says where and when a flying ball will touch the floor.
type touchdownJSON struct {
	Position mgl64.Vec3 `json:"position_m"`
	In       float64    `json:"in_s"`
}

func objectsOf(o *sensors.Observation) objectsJSON {
	j := objectsJSON{
		frameJSON: frameOf(o), Objects: []detectionJSON{},
		Lines: o.Objects.Lines, Crossings: o.Objects.Crossings, Circles: o.Objects.Circles,
	}
	if o.Objects.SelfKnown {
		j.Self = &selfJSON{o.Objects.Self.Pos, o.Objects.Self.Heading()}
	}
	for i := range o.Objects.Detections {
		d := &o.Objects.Detections[i]
		dj := detectionJSON{Kind: string(d.Kind), Name: d.Name, Team: d.Team, Visible: d.Visible, Position: d.PosB}
		if d.VelKnown {
			dj.Velocity = &d.VelB
		}
		if d.Flying {
			dj.Touchdown = &touchdownJSON{d.TouchdownB, d.TouchdownIn.Seconds()}
		}
		j.Objects = append(j.Objects, dj)
	}
	for i := range o.Objects.Goals {
		g := &o.Objects.Goals[i]
		gj := goalJSON{Name: g.Name}
		if g.LeftKnown {
			gj.Left = &g.LeftB
		}
		if g.RightKnown {
			gj.Right = &g.RightB
		}
		j.Goals = append(j.Goals, gj)
	}
	return j
}
