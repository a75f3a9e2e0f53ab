package output

import (
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
)

// truthJSON is the ground truth as it is written into files. Positions and rotations are in the world frame, all values
// in SI units. Quaternions have w first.
type truthJSON struct {
	Seed      *uint64        `json:"seed,omitempty"` // for worlds with random values
	Step      int64          `json:"step"`
	Time      float64        `json:"time_s"`
	Ball      ballJSON       `json:"ball"`
	Robots    []robotJSON    `json:"robots"`
	Obstacles []obstacleJSON `json:"obstacles"`
	Events    []eventJSON    `json:"events,omitempty"` // events of the step that ends at this time
}

// eventJSON is an event of the simulation, for instance the start or the end of a contact between two bodies. Some
// events concern only one robot.
type eventJSON struct {
	Kind     string     `json:"kind"`
	Bodies   []string   `json:"bodies"`
	Position mgl64.Vec3 `json:"position_m"`
	Closing  float64    `json:"closing_m_s,omitempty"`
	Impulse  float64    `json:"impulse_n_s,omitempty"`
}

type ballJSON struct {
	Position mgl64.Vec3 `json:"position_m"`
	Velocity mgl64.Vec3 `json:"velocity_m_s"`
	HeldBy   string     `json:"held_by,omitempty"`
	InGoal   string     `json:"in_goal,omitempty"` // the team that scored
}

type robotJSON struct {
	Name        string     `json:"name"`
	Team        string     `json:"team"`
	Position    mgl64.Vec3 `json:"position_m"`
	Heading     float64    `json:"heading_rad"`
	Orientation [4]float64 `json:"orientation_wxyz"`
	Velocity    mgl64.Vec3 `json:"velocity_m_s"`
	Omega       float64    `json:"omega_rad_s"`
	Stuck       bool       `json:"stuck,omitempty"`
	Frame       string     `json:"frame,omitempty"` // extension of the goalkeeper: left, right or up
}

type obstacleJSON struct {
	Name     string     `json:"name"`
	Position mgl64.Vec3 `json:"position_m"`
	Heading  float64    `json:"heading_rad"`
}

func truthOf(sim *omnipitch.Sim) truthJSON {
	w, s := sim.World(), sim.Truth()
	t := truthJSON{Step: s.Step, Time: s.Time.Seconds(), Ball: ballJSON{Position: s.Ball.PosW,
		Velocity: s.Ball.TwistInW.Lin}}
	if w.Random() {
		t.Seed = &w.Seed
	}
	if s.Ball.HeldBy >= 0 {
		t.Ball.HeldBy = w.Robots[s.Ball.HeldBy].Name
	}
	for _, goal := range w.Field.Goals() {
		if w.Field.InGoal(goal, s.Ball.PosW, w.Ball.Radius) {
			t.Ball.InGoal = string(attacker(goal))
		}
	}
	for i := range s.Robots {
		r := &s.Robots[i]
		q := r.PoseWB.Rot
		t.Robots = append(t.Robots, robotJSON{
			Name: w.Robots[i].Name, Team: string(w.Robots[i].Team), Position: r.PoseWB.Pos, Heading: r.PoseWB.Heading(),
			Orientation: [4]float64{q.W, q.V[0], q.V[1], q.V[2]}, Velocity: r.TwistWBInW.Lin,
			Omega: r.TwistWBInW.Ang[2],
			Stuck: r.Stuck, Frame: [...]string{"", "left", "right", "up"}[r.Extension],
		})
	}
	for i := range s.Obstacles {
		o := &s.Obstacles[i]
		t.Obstacles = append(t.Obstacles, obstacleJSON{w.Obstacles[i].Name, o.PoseWO.Pos, o.PoseWO.Heading()})
	}
	for i := range s.Events {
		e := &s.Events[i]
		event := eventJSON{Kind: e.Kind.String(), Bodies: []string{sim.Sensors().Scenery().BodyName(e.A)},
			Position: e.PosW,
			Closing:  e.Closing, Impulse: e.Impulse}
		if e.Kind.Pairwise() {
			event.Bodies = append(event.Bodies, sim.Sensors().Scenery().BodyName(e.B))
		}
		t.Events = append(t.Events, event)
	}
	return t
}

// attacker returns the team that attacks a goal.
func attacker(g physics.Goal) physics.Team {
	if g.Side > 0 {
		return physics.Cyan
	}
	return physics.Magenta
}
