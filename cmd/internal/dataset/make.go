package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/output"
	"github.com/omnipitch/omnipitch/render/backend"
)

// Result describes the contents of a folder.
type Result struct {
	Folder   string         `json:"folder"`
	Frames   int            `json:"frames"`
	Found    int            `json:"found"` // number of frames that existed before
	Scenes   int            `json:"scenes"`
	Parts    map[string]int `json:"parts"`   // number of frames
	Objects  map[string]int `json:"objects"` // by category
	Renderer string         `json:"renderer"`
	Warning  string         `json:"warning,omitempty"` // a sentence, if all images are in one part, unlike the split
}

// Make makes a data set in a folder, or continues the data set that is there. When the context ends, Make stops; a
// later call with the same Config can continue.
func (c *Config) Make(ctx context.Context, path string) (*Result, error) {
	if err := c.Validate(); err != nil {
		return nil, console.BadInput(err)
	}
	if err := c.choose(); err != nil {
		return nil, err
	}
	want, err := c.manifest()
	if err != nil {
		return nil, err
	}
	if err := check(path, want); err != nil {
		return nil, err
	}
	o, err := open(path, want)
	if err != nil {
		return nil, err
	}
	result, err := c.fill(ctx, o)
	return result, errors.Join(err, o.failed(o.close()))
}

// manifest returns the manifest of the data set.
func (c *Config) manifest() (*manifest, error) {
	bundle, err := c.World.Effective()
	if err != nil {
		return nil, err
	}
	digest, categories := sha256.Sum256(bundle), CategoriesOf(c.World)
	return &manifest{
		Version: c.Version, World: c.World.Name, Digest: hex.EncodeToString(digest[:]), Seed: c.World.Seed,
		PerScene: c.PerScene, Split: c.Split,
		Formats: c.Formats, Cameras: c.Cameras, Level: string(c.Level), JPEG: c.JPEG,
		Renderer:   backend.Choose(c.Renderer, nil).Name,
		Categories: categories, Classes: ClassNames(categories),
	}, nil
}

// fill makes the missing frames.
func (c *Config) fill(ctx context.Context, o *folder) (*Result, error) {
	x, err := o.openIndex()
	if err != nil {
		return nil, o.failed(err)
	}
	defer x.File.Close()
	found := x.Next
	if found > c.Frames {
		return nil, console.BadInputf("--frames = %d: must be at least %d, which --out %s holds", c.Frames, found,
			o.path)
	}
	if found < c.Frames {
		if err := c.draw(ctx, o, x, found); err != nil {
			if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
				err = fmt.Errorf("interrupted after %d of %d frames: the same command continues", x.Next, c.Frames)
			}
			return nil, err
		}
	}
	result, err := c.finish(o)
	if err == nil {
		result.Found = found
	}
	return result, o.failed(err)
}

// draw makes the images of scenes, several scenes at a time. start is the number of the first missing frame.
func (c *Config) draw(ctx context.Context, o *folder, x *output.Lines, start int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	parts := parts(c.scenes(), c.Split)
	var next atomic.Int64
	next.Store(int64(start / c.perScene()))
	var workers sync.WaitGroup
	var mu sync.Mutex
	var first error
	cache := new(omnipitch.Cache)
	for range min(c.Jobs, c.scenes()) {
		workers.Go(func() {
			var p pictures
			for ctx.Err() == nil {
				k := int(next.Add(1)) - 1
				if k >= len(parts) {
					return
				}
				err := c.drawScene(ctx, k, Parts[parts[k]], cache, start, func(s *shot) error {
					if err := s.write(o, &p); err != nil {
						return o.failed(err)
					}
					whole, err := x.Add(s.frame.Number, &s.frame)
					c.Status(fmt.Sprintf("frame %d of %d", whole, c.Frames))
					return o.failed(err)
				})
				if err != nil {
					mu.Lock()
					if first == nil {
						first = err
					}
					mu.Unlock()
					cancel(err)
					return
				}
			}
		})
	}
	workers.Wait()
	if first == nil {
		first = ctx.Err()
	}
	return first
}

// drawScene makes the images of one scene.
func (c *Config) drawScene(ctx context.Context, k int, part string, cache *omnipitch.Cache, from int,
	to func(*shot) error) error {
	s, err := c.newScene(ctx, k, part, cache)
	if err != nil {
		return err
	}
	defer s.close()
	return s.run(ctx, from, to)
}

// finish writes the files that describe all frames.
func (c *Config) finish(o *folder) (*Result, error) {
	c.Status("writing annotations")
	r := &Result{Folder: o.path, Frames: c.Frames, Scenes: c.scenes(), Parts: map[string]int{},
		Objects: map[string]int{}, Renderer: backend.Choose(c.Renderer, nil).Name}
	for _, part := range Parts {
		r.Parts[part] = 0
	}
	for i := range o.categories {
		r.Objects[o.categories[i].Name] = 0
	}
	if err := o.frames(c.Frames, func(f *Frame) error {
		r.Parts[f.Part]++
		for i := range f.Objects {
			r.Objects[f.Objects[i].Category]++
		}
		return nil
	}); err != nil {
		return nil, err
	}
	r.Warning = c.onePart(r)
	if c.writes(COCO) {
		for _, part := range Parts {
			if err := o.writeCOCO(c, part); err != nil {
				return nil, err
			}
		}
	}
	if c.writes(YOLO) {
		if err := o.writeYOLO(); err != nil {
			return nil, err
		}
	}
	c.Status("drawing the contact sheet")
	return r, o.writeSheet(c)
}

// onePart returns a warning if all images are in one part although the split has more parts.
func (c *Config) onePart(r *Result) string {
	filled, last, wanted := 0, "", 0
	for i, part := range Parts {
		if r.Parts[part] > 0 {
			filled, last = filled+1, part
		}
		if c.Split[i] > 0 {
			wanted++
		}
	}
	if filled != 1 || wanted < 2 {
		return ""
	}
	return fmt.Sprintf("warning: all %d images are in %s: each scene is in one part only, and %d are too few scenes for "+
		"--split %s; a smaller --per-scene or more --frames makes more scenes", r.Frames, last, r.Scenes,
		splitText(c.Split))
}

// parts returns the part of each scene. A scene goes to the part that is furthest below its share so far, so it does
// not depend on the number of later scenes. The choice is not biased, because scenes are random and independent of each
// other.
func parts(scenes int, split [3]float64) []int {
	all, count := make([]int, scenes), [3]int{}
	for k := range all {
		best, most := 0, 0.0
		for p, share := range split {
			if lacks := share*float64(k+1) - float64(count[p]); lacks > most+1e-9 {
				best, most = p, lacks
			}
		}
		all[k] = best
		count[best]++
	}
	return all
}
