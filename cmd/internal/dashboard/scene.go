package dashboard

import (
	"context"
	"net/http"
	"sync"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/models"
	"github.com/omnipitch/omnipitch/worlds"
)

// sceneJSON describes the render scene except for its shapes. Colours and light are linear red, green and blue.
type sceneJSON struct {
	World     int         `json:"world"`
	Look      uint32      `json:"look"` // number of changes of light and colours
	Light     lightJSON   `json:"light"`
	Carpet    colorJSON   `json:"carpet"` // reflectance
	Line      colorJSON   `json:"line"`
	SizeX     float64     `json:"size_x_m"` // length of the carpet along x
	SizeY     float64     `json:"size_y_m"`
	Floor     colorJSON   `json:"floor"`     // reflectance of the hall's floor around the carpet
	Margin    float64     `json:"margin_m"`  // distance from the carpet to the hall's walls
	Materials []colorJSON `json:"materials"` // present colours in plain light, in the order of scene.glb
	Moving    []string    `json:"moving"`    // moving bodies, in the order of poses
	Sensors   []viewJSON  `json:"sensors"`   // sensors, in the order in which poses contains them after the bodies
}

type colorJSON = mgl32.Vec3

// lightJSON is one distant lamp, ambient light, and nearby lamps. The unit of light is the light in which a perfectly
// reflecting surface has radiance 1.
type lightJSON struct {
	Towards colorJSON  `json:"towards"` // unit vector towards the lamp
	Lamp    colorJSON  `json:"lamp"`
	Sky     colorJSON  `json:"sky"`    // ambient light from above
	Bounce  colorJSON  `json:"bounce"` // ambient light from below
	Shadows bool       `json:"shadows"`
	Spots   []spotJSON `json:"spots"`
}

type spotJSON struct {
	At    [3]float32 `json:"at_m"`
	Light colorJSON  `json:"light"` // light at a distance of 1 m; it decreases with the square of the distance
}

// sceneNow is a copy of the render scene, made by the goroutine that steps.
type sceneNow struct {
	world   *worlds.World
	id      int
	scene   *render.Scene
	poses   []spatial.Pose
	shading *render.Shading
	look    uint32
	views   []view
}

// sceneNow gets the present render scene from the goroutine that steps.
func (s *simServer) sceneNow(ctx context.Context) (*sceneNow, error) {
	n := new(sceneNow)
	return n, s.betweenSteps(ctx, stepTime, func() error {
		scenery := s.sim.Sensors().Scenery()
		n.world, n.id = s.states.current()
		n.scene, n.poses = scenery.Scene, scenery.Poses(s.sim.Truth(), nil)
		n.shading, n.look = s.states.poses.shading(s.sim)
		n.views = s.states.poses.prepare(s.sim, n.world).views
		return nil
	})
}

func (s *simServer) scene(r *http.Request) (any, error) {
	n, err := s.sceneNow(r.Context())
	if err != nil {
		return nil, err
	}
	l, f := &n.shading.Light, &n.scene.Floor
	j := sceneJSON{World: n.id, Look: n.look, Light: lightJSON{l.DirectionW, l.Lamp, l.Sky, l.Bounce, !l.Shadowless,
		[]spotJSON{}},
		Carpet: n.shading.Carpet, Line: f.LineColor, SizeX: f.SizeX, SizeY: f.SizeY, Floor: n.scene.Room.Floor,
		Margin:    n.scene.Room.Margin,
		Materials: []colorJSON{}, Moving: []string{}, Sensors: []viewJSON{}}
	for _, spot := range l.Spots {
		j.Light.Spots = append(j.Light.Spots, spotJSON{spot.PosW, spot.Light})
	}
	for i := range n.shading.Materials {
		j.Materials = append(j.Materials, n.shading.Materials[i].Color)
	}
	for i := range n.scene.Bodies {
		if b := &n.scene.Bodies[i]; !b.Static {
			j.Moving = append(j.Moving, b.Name)
		}
	}
	for i := range n.views {
		j.Sensors = append(j.Sensors, n.views[i].json)
	}
	return j, nil
}

// shapes is the render scene of a world as binary glTF. Clients share it.
type shapes struct {
	mu    sync.Mutex
	world int // id of its world
	file  []byte
}

// fileOf returns the file for a world.
func (s *shapes) fileOf(n *sceneNow) (file []byte, err error) {
	s.mu.Lock() // concurrent requests share the file
	defer s.mu.Unlock()
	if s.world != n.id || s.file == nil {
		if s.file, err = models.Write(n.scene, n.poses); err != nil {
			return nil, err
		}
		s.world = n.id
	}
	return s.file, nil
}

func (s *simServer) serveShapes(w http.ResponseWriter, r *http.Request) {
	n, err := s.sceneNow(r.Context())
	if err != nil {
		refuse(w, err)
		return
	}
	file, err := s.shapes.fileOf(n)
	w.Header().Set("Content-Disposition", `inline; filename="scene.glb"`)
	write(w, "model/gltf-binary", file, err)
}
