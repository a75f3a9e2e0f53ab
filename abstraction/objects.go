package abstraction

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// ObjectsConfig says how well the vision works that the objects level stands in for.
//
// Errors arise where they do in a robot: in the image. A camera that locates an object does so by the pixel of its
// reference point and the plane that point moves in (the floor, or a ball radius above it), so a constant error in
// pixels becomes one that grows with distance, and a flying ball is believed farther away than it is.
type ObjectsConfig struct {
	PixelNoise    float64       `toml:"pixel_noise_px" range:"[0, 100]" doc:"standard deviation of a located point in the image, in u and v each"`
	VelocityNoise float64       `toml:"velocity_noise_m_s" range:"[0, 10]" doc:"standard deviation of estimated velocities, in x and y each"`
	MaxRange      float64       `toml:"max_range_m" range:"(0, 100]" doc:"farther objects are not detected"`
	MinVisible    float64       `toml:"min_visible" range:"[0, 1]" doc:"objects of which a smaller share is visible are not detected"`
	MissRate      float64       `toml:"miss_rate" range:"[0, 1]" doc:"share of visible objects missed in a frame"`
	FalseRate     float64       `toml:"false_rate" range:"[0, 1]" doc:"probability of a detection of nothing in a frame"`
	Delay         time.Duration `toml:"delay_ms" range:"[0, 2000]" doc:"time the vision takes, added to the sensor's latency"`
	SelfPosNoise  float64       `toml:"self_position_noise_m" range:"[0, 10]" doc:"standard deviation of the robot's own position, in x and y each"`
	SelfAngNoise  float64       `toml:"self_heading_noise_deg" range:"[0, 180]" doc:"standard deviation of the robot's own heading"`
}

// DefaultObjects returns a good robot's vision.
func DefaultObjects() ObjectsConfig {
	return ObjectsConfig{
		PixelNoise:    0.7,  // guess: sub-pixel centroid, segmentation error of one pixel
		VelocityNoise: 0.15, // guess: difference of positions over a few frames
		MaxRange:      8,    // guess: the ball is then about 4 px wide in a 640 px omni image
		MinVisible:    0.3,  // guess
		MissRate:      0.02, // guess
		FalseRate:     0,
		Delay:         30 * time.Millisecond, // Xiao et al. 2017: omni vision takes less than 30 ms a frame
		SelfPosNoise:  0.035,                 // Xiao et al. 2017: mean localisation error below 6 cm
		SelfAngNoise:  0.6 * math.Pi / 180,   // guess
	}
}

// Detection is one object as the robot's vision would report it.
type Detection struct {
	Kind    Kind
	Name    string  // of the object in the world; empty for a detection of nothing
	Team    string  // of a robot
	Visible float64 // share of the object that is seen, 0 to 1
	// PosB is a ball's centre or an obstacle's foot, VelB its velocity over the ground; both in the robot's axes, m and
	// m/s.
	PosB, VelB mgl64.Vec3
}

// ObjectList is what one frame holds.
type ObjectList struct {
	Detections []Detection
	// Self is where the robot believes to be (poseWB), and whether it knows at all.
	Self      spatial.Pose
	SelfKnown bool
}

// Scene is what an observer at one instant needs to know of the world.
type Scene struct {
	PoseWB  spatial.Pose // of the robot
	Targets []Target     // everything but the robot itself
}

// Streams of random numbers within a frame.
const (
	streamMiss uint16 = iota
	streamPixel
	streamRange
	streamVelocity
	streamFalse
	streamSelf
)

// TrueObjects reports everything, exactly, visible or not.
func TrueObjects(scene *Scene, into *ObjectList) {
	into.Detections = into.Detections[:0]
	for i := range scene.Targets {
		into.Detections = append(into.Detections, scene.detection(&scene.Targets[i], 1))
	}
	into.Self, into.SelfKnown = scene.PoseWB, true
}

func (s *Scene) detection(t *Target, visible float64) Detection {
	return Detection{
		Kind: t.Kind, Name: t.Name, Team: t.Team, Visible: visible,
		PosB: s.PoseWB.Inverse().Apply(t.reference()), VelB: s.PoseWB.Unrotate(t.VelW),
	}
}

// RangeSigma returns the standard deviation of a measured distance along the optical axis, both in metres. Cameras
// that measure distance pass theirs to SeenObjects; the others pass nil.
type RangeSigma func(z float64) float64

// SeenObjects reports what a camera's vision makes of the scene: what the eye sees, less the misses, at the places
// where noise in the image puts it.
func SeenObjects(cfg *ObjectsConfig, eye *Eye, ranging RangeSigma, scene *Scene, noise Noise, into *ObjectList) {
	into.Detections = into.Detections[:0]
	into.SelfKnown = false
	limited := *eye
	limited.MaxRange = math.Min(eye.MaxRange, cfg.MaxRange)
	var buf [manyTargets]sighting
	seen := limited.sight(scene.Targets, buf[:])
	for i := range scene.Targets {
		t := &scene.Targets[i]
		visible := limited.visible(t, seen[i], scene.Targets, seen)
		if visible <= 0 {
			continue
		}
		id := identity(t)
		if visible < cfg.MinVisible || noise.Uniform(Index(streamMiss, id)) < cfg.MissRate {
			continue
		}
		d := scene.detection(t, visible)
		pointW, ok := cfg.locate(&limited, ranging, t, noise, id)
		if !ok {
			continue
		}
		d.PosB = scene.PoseWB.Inverse().Apply(pointW)
		nx, ny := noise.Normal(Index(streamVelocity, id))
		d.VelB = d.VelB.Add(mgl64.Vec3{nx, ny, 0}.Mul(cfg.VelocityNoise))
		into.Detections = append(into.Detections, d)
	}
	if d, ok := cfg.phantom(&limited, scene, noise); ok {
		into.Detections = append(into.Detections, d)
	}
}

// LocateSelf adds the robot's own pose as its localisation would know it.
func LocateSelf(cfg *ObjectsConfig, scene *Scene, noise Noise, into *ObjectList) {
	nx, ny := noise.Normal(Index(streamSelf, 0))
	nh, _ := noise.Normal(Index(streamSelf, 1))
	p := scene.PoseWB
	into.Self = spatial.Planar(p.Pos[0]+nx*cfg.SelfPosNoise, p.Pos[1]+ny*cfg.SelfPosNoise, p.Heading()+nh*cfg.SelfAngNoise)
	into.SelfKnown = true
}

// locate returns where vision believes a target's reference point to be, in the world, and false when the noise
// threw it off the floor or out of range.
func (cfg *ObjectsConfig) locate(eye *Eye, ranging RangeSigma, t *Target, noise Noise, id uint64) (mgl64.Vec3, bool) {
	inC := eye.PoseWC.Inverse().Apply(t.reference())
	// The foot may lie below the image's edge while the body is seen: vision extrapolates, so Inside is not asked.
	u, v, ok := eye.Model.Project(inC)
	if !ok {
		return mgl64.Vec3{}, false
	}
	nu, nv := noise.Normal(Index(streamPixel, id))
	dirC, ok := eye.Model.Unproject(u+nu*cfg.PixelNoise, v+nv*cfg.PixelNoise)
	if !ok {
		return mgl64.Vec3{}, false
	}
	if ranging != nil {
		nr, _ := noise.Normal(Index(streamRange, id))
		z := inC[2] + nr*ranging(inC[2])
		return eye.PoseWC.Apply(dirC.Mul(z / dirC[2])), true
	}
	plane := 0.0
	if t.Kind == BallKind {
		plane = t.Shape.Radius
	}
	return eye.onPlane(dirC, plane)
}

// onPlane returns where a viewing direction meets the plane z = height, in the world, and false when it does not
// within range.
func (e *Eye) onPlane(dirC mgl64.Vec3, height float64) (mgl64.Vec3, bool) {
	dir := e.PoseWC.Rotate(dirC)
	if dir[2] == 0 {
		return mgl64.Vec3{}, false
	}
	t := (height - e.PoseWC.Pos[2]) / dir[2]
	if t <= 0 || t > e.MaxRange {
		return mgl64.Vec3{}, false
	}
	return e.PoseWC.Pos.Add(dir.Mul(t)), true
}

// phantom returns a ball that is not there, at a random place of the image that shows the floor.
func (cfg *ObjectsConfig) phantom(eye *Eye, scene *Scene, noise Noise) (Detection, bool) {
	if noise.Uniform(Index(streamFalse, 0)) >= cfg.FalseRate {
		return Detection{}, false
	}
	w, h := eye.Model.Size()
	u, v := noise.Uniform(Index(streamFalse, 1))*float64(w), noise.Uniform(Index(streamFalse, 2))*float64(h)
	dirC, ok := eye.Model.Unproject(u, v)
	if !ok {
		return Detection{}, false
	}
	p, ok := eye.onPlane(dirC, 0)
	return Detection{Kind: BallKind, Visible: 1, PosB: scene.PoseWB.Inverse().Apply(p)}, ok
}

// identity returns a number for a target that does not depend on what else there is.
func identity(t *Target) uint64 {
	// FNV-1a, as package hash/fnv has it, without its allocation.
	h := uint64(14695981039346656037)
	for _, text := range [2]string{string(t.Kind), t.Name} {
		for i := range len(text) {
			h = (h ^ uint64(text[i])) * 1099511628211
		}
	}
	return h
}
