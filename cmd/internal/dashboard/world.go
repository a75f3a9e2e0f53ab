package dashboard

import (
	"net/http"
	"slices"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/area"
)

// worldJSON is the part of a world that does not change while it runs.
type worldJSON struct {
	ID        int            `json:"id"`
	Name      string         `json:"name"`
	About     string         `json:"about,omitempty"`
	Step      float64        `json:"step_s"`
	Referee   string         `json:"referee"`
	Field     fieldJSON      `json:"field"`
	Marks     []markJSON     `json:"marks"`
	Areas     []areaJSON     `json:"areas"`                   // the world's own areas, and areas of the field that expectations refer to
	Ball      float64        `json:"ball_radius_m,omitempty"` // 0: the world has no ball
	Game      bool           `json:"game"`                    // reports whether the world has a ball and goals
	Robots    []bodyJSON     `json:"robots"`
	Obstacles []obstacleJSON `json:"obstacles"`
	Replay    *replayJSON    `json:"replay,omitempty"` // only of a replay: the times that /api/seek can go to
}

// replayJSON describes a replay. Times are at_s.
type replayJSON struct {
	From float64 `json:"from_s"`
	To   float64 `json:"to_s"`
	// reports whether seeks are immediate; otherwise a seek simulates the world again up to the wanted time
	Exact bool `json:"exact"`
}

type fieldJSON struct {
	Name      string  `json:"name,omitempty"`
	Length    float64 `json:"length_m"`
	Width     float64 `json:"width_m"`
	Border    float64 `json:"border_m"`
	GoalWidth float64 `json:"goal_width_m"`
	GoalDepth float64 `json:"goal_depth_m"`
}

// markJSON is a painted line: its centre line and its width.
type markJSON struct {
	Kind   string      `json:"kind"` // segment from a to b, arc around a, or spot at a
	A      [2]float64  `json:"a_m"`
	B      *[2]float64 `json:"b_m,omitempty"`
	Radius float64     `json:"radius_m,omitempty"`
	From   float64     `json:"from_deg,omitempty"`
	Sweep  float64     `json:"sweep_deg,omitempty"` // anticlockwise
	Width  float64     `json:"width_m,omitempty"`
}

type areaJSON struct {
	Name   string       `json:"name"`
	Points [][2]float64 `json:"points_m,omitempty"` // corners in order
	Centre *[2]float64  `json:"centre_m,omitempty"` // of a circle
	Radius float64      `json:"radius_m,omitempty"`
	Expect []string     `json:"expect,omitempty"` // the expectations that refer to it
}

type bodyJSON struct {
	Name   string  `json:"name"`
	Team   string  `json:"team"`
	Number int     `json:"number"`
	Radius float64 `json:"radius_m"`
	// length of the robot's body if it is a cuboid; 0: the body is round
	Length  float64      `json:"length_m,omitempty"`
	Width   float64      `json:"width_m,omitempty"`
	Sensors []sensorJSON `json:"sensors"`
}

type sensorJSON struct {
	Name   string             `json:"name"`
	Kind   string             `json:"kind"`
	Levels abstraction.Levels `json:"levels"` // the sensor's possible levels
	Rate   float64            `json:"rate_hz"`
	Camera bool               `json:"camera"` // reports whether the sensor has images at levels raw and ideal
	Width  int                `json:"width_px,omitempty"`
	Height int                `json:"height_px,omitempty"`
	Mirror bool               `json:"mirror,omitempty"` // reports whether the camera looks into a mirror
	Near   float64            `json:"near_m,omitempty"` // range of depth measurement; 0 if it measures none
	Far    float64            `json:"far_m,omitempty"`
}

type obstacleJSON struct {
	Name  string  `json:"name"`
	Looks string  `json:"looks"`
	SizeX float64 `json:"size_x_m"`
	SizeY float64 `json:"size_y_m"`
}

func (s *simServer) world(*http.Request) (any, error) {
	world, id := s.states.current()
	j := worldOf(world, id)
	if s.replay != nil {
		span := s.replay.Span()
		j.Replay = &replayJSON{span.From.Seconds(), span.To.Seconds(), s.replay.Plays()}
	}
	return j, nil
}

func worldOf(w *worlds.World, id int) *worldJSON {
	model := w.Model()
	f := &model.Field
	j := &worldJSON{
		ID: id, Name: w.Name, About: w.About, Step: w.Time.Step.Seconds(), Referee: w.Referee,
		Field: fieldJSON{f.Name, f.Length, f.Width, f.Border, f.GoalWidth, f.GoalDepth},
		Marks: []markJSON{}, Areas: []areaJSON{}, Ball: model.Ball.Radius,
		Game: w.FindPart("goals") == nil, Robots: []bodyJSON{},
		Obstacles: []obstacleJSON{},
	}
	if model.Ball.Absent {
		j.Ball = 0
	}
	if !f.HasGoals {
		j.Field.GoalWidth, j.Field.GoalDepth = 0, 0
	}
	for _, m := range f.Marks() {
		j.Marks = append(j.Marks, markOf(m))
	}
	shapes := w.AllAreas()
	for i := range shapes {
		asking := asking(w, shapes[i].Name)
		if own := i >= len(shapes)-len(w.Areas); own || len(asking) > 0 {
			a := areaOf(&shapes[i])
			a.Expect = asking
			j.Areas = append(j.Areas, a)
		}
	}
	for i := range model.Robots {
		j.Robots = append(j.Robots, bodyOf(&model.Robots[i], &w.Robots[i]))
	}
	for _, o := range w.AllObstacles() {
		j.Obstacles = append(j.Obstacles, obstacleJSON{o.Name, o.Looks, o.Hull.SizeX, o.Hull.SizeY})
	}
	return j
}

// asking returns the names of the expectations of a world that refer to an area.
func asking(w *worlds.World, area string) (names []string) {
	for i := range w.Expect {
		if slices.Contains(w.Expect[i].Areas(), area) {
			names = append(names, w.Expect[i].Name)
		}
	}
	return names
}

func markOf(m spatial.Mark) markJSON {
	j := markJSON{A: m.A, Radius: m.Radius, From: m.From / spatial.Degree, Sweep: m.Sweep / spatial.Degree,
		Width: m.Width}
	j.Kind = [...]string{spatial.Segment: "segment", spatial.Arc: "arc", spatial.Spot: "spot"}[m.Kind]
	if m.Kind == spatial.Segment {
		j.B = &m.B
	}
	return j
}

func areaOf(a *area.Area) areaJSON {
	j := areaJSON{Name: a.Name}
	switch {
	case a.Rectangle != nil:
		x, y := a.Rectangle.X, a.Rectangle.Y
		j.Points = [][2]float64{{x[0], y[0]}, {x[1], y[0]}, {x[1], y[1]}, {x[0], y[1]}}
	case a.Circle != nil:
		j.Centre, j.Radius = &[2]float64{a.Circle.X, a.Circle.Y}, a.Circle.Radius
	case a.Polygon != nil:
		j.Points = a.Polygon.Points
	}
	return j
}

func bodyOf(body *physics.Robot, r *worlds.Robot) bodyJSON {
	j := bodyJSON{r.Name, string(body.Team), body.Number, body.Body.Radius, body.Body.Length, body.Body.Width,
		[]sensorJSON{}}
	for i := range r.Sensors {
		c := &r.Sensors[i]
		s := sensorJSON{Name: c.Name, Kind: string(c.Kind), Levels: c.Kind.Levels(), Rate: c.Rate,
			Camera: c.Kind.TakesImages()}
		if c.Image != nil {
			s.Width, s.Height, s.Mirror = c.Image.Width, c.Image.Height, c.Mirror != nil
		}
		if c.Ranging != nil {
			s.Near, s.Far = c.Ranging.Min, c.Ranging.Max
		}
		j.Sensors = append(j.Sensors, s)
	}
	return j
}
