package dataset

import (
	"context"
	"slices"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/render"
)

// Frames draws single frames of a data set, in any order, without writing files. Frame n is the one that Make writes
// with this number, for any total. A frame at a later moment of one of the scenes drawn last takes a tenth of a second.
// Other frames take the preparation of a scene, too.
type Frames struct {
	config *Config
	cache  omnipitch.Cache
	parts  []int    // of all scenes
	scenes []*scene // the scene drawn last comes last
}

// Labelled is a frame with its pixels. It is valid until the next call of Draw. Images have rows of pixels; those of
// formats that Config.Formats lacks are nil.
type Labelled struct {
	*Frame
	Color        *render.Image
	Measured     *render.Depth // by a depth camera
	Classes      []uint8
	Instances    []uint16
	Depth, Range []float32 // m; Range instead of Depth for a camera with a mirror
	Normals      []float32 // x, y and z
	Flow         []float32 // u and v, pixels; NaN where it is unknown
}

// keptScenes is the number of scenes that Frames keeps.
const keptScenes = 4

// Open returns the data set of a Config.
func (c *Config) Open() (*Frames, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if err := c.choose(); err != nil {
		return nil, err
	}
	return &Frames{config: c, parts: parts(c.scenes(), c.Split)}, nil
}

// Close frees the scenes.
func (f *Frames) Close() {
	for _, s := range f.scenes {
		s.close()
	}
	f.scenes = nil
}

// Draw draws the frame with the given number, which must lie in [0, Config.Frames), and passes it to the function use.
func (f *Frames) Draw(ctx context.Context, number int, use func(*Labelled) error) error {
	s, err := f.sceneOf(ctx, number)
	if err != nil {
		return err
	}
	return s.frame(ctx, number, func(x *shot) error { return use(x.labelled()) })
}

// sceneOf returns the scene of a frame.
func (f *Frames) sceneOf(ctx context.Context, number int) (*scene, error) {
	c := f.config
	k := number / c.perScene()
	moment := number % c.perScene() / len(c.Cameras)
	i := slices.IndexFunc(f.scenes, func(s *scene) bool { return s.number == k })
	var s *scene
	if i >= 0 {
		s = f.scenes[i]
		f.scenes = slices.Delete(f.scenes, i, i+1)
	}
	if s != nil && s.placed-1 > moment { // a scene cannot go back
		s.close()
		s = nil
	}
	if s == nil {
		if len(f.scenes) == keptScenes {
			f.scenes[0].close()
			f.scenes = slices.Delete(f.scenes, 0, 1)
		}
		var err error
		if s, err = c.newScene(ctx, k, Parts[f.parts[k]], &f.cache); err != nil {
			return nil, err
		}
	}
	f.scenes = append(f.scenes, s)
	return s, nil
}

// labelled returns the pixels of an image.
func (x *shot) labelled() *Labelled {
	c, l := x.scene.Config, x.eye.labels
	out := &Labelled{Frame: &x.frame, Color: x.seen.Color}
	if c.writes(Masks) {
		out.Classes, out.Instances = make([]uint8, len(l.codes)), make([]uint16, len(l.codes))
		for i := range l.codes {
			out.Classes[i], out.Instances[i] = l.class(i, x.scene.things, x.eye.index), x.instance(i)
		}
	}
	if c.writes(Depth) {
		out.Measured, out.Normals = x.seen.Depth, l.truth.Normals
		if x.eye.looksUp {
			out.Range = l.truth.Range
		} else {
			out.Depth = make([]float32, len(l.codes))
			for i, r := range l.truth.Range {
				out.Depth[i] = x.depth(i, r)
			}
		}
	}
	if c.writes(Flow) {
		out.Flow = l.truth.Flow
	}
	return out
}

// instance returns the number of a pixel's object in its frame, or 0.
func (x *shot) instance(pixel int) uint16 {
	if code := x.eye.labels.codes[pixel]; code > 0 {
		return uint16(x.numbers[code-1])
	}
	return 0
}

// depth returns the distance of a pixel along the optical axis, from that along the pixel's ray.
func (x *shot) depth(pixel int, along float32) float32 {
	return along * float32(x.eye.rays.Dir[3*pixel+2])
}
