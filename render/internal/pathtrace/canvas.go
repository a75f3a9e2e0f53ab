package pathtrace

import (
	"math"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/rays"
	"github.com/omnipitch/omnipitch/render/optics"
)

// tileSize is the side of a tile, pixels: the unit of work of a goroutine.
const tileSize = 16

// canvas accumulates the samples of one view.
type canvas struct {
	scene    *scene
	tree     *rays.Tree // tree of the triangles that the camera itself sees
	surfaces []rays.Surface
	view     *render.View

	width, height, cols int
	frame               rays.Frame // of the optical frame
	skew                optics.NonCentral
	cu, cv, fu, fv      float64 // centre of the real camera's image and focal lengths, pixels
	rim                 float64 // radius of the mirror's image along u, pixels; 0 without a mirror
	ring, tube          rays.Vec

	sum, squares []float64 // height × width × 3
	counts       []int     // number of samples of each tile's pixels so far
}

// near is the smallest distance at which a camera sees anything, metres; other renderers use the same value.
const near = 0.02

func newCanvas(t *scene, v *render.View, l *render.Light) *canvas {
	c := &canvas{scene: t, view: v, frame: rays.NewFrame(v.PoseWC)}
	c.width, c.height = v.Model.Size()
	c.cols = (c.width + tileSize - 1) / tileSize
	c.skew, _ = v.Model.(optics.NonCentral)
	c.cu, c.cv, c.fu, c.fv = optics.Paraxial(v.Model)
	if m, ok := v.Model.(interface{ RimPixels() float64 }); ok {
		c.rim = m.RimPixels()
	}
	c.ring, c.tube = rays.Vec32(l.Ring()), rays.Vec32(l.Tube)
	n := 3 * c.width * c.height
	c.sum, c.squares = make([]float64, n), make([]float64, n)
	c.counts = make([]int, c.cols*((c.height+tileSize-1)/tileSize))
	return c
}

// draw takes samples until there are as many as Tracing asks for, or until Tracing.Stop is closed. It takes at least
// one sample per pixel.
func (c *canvas) draw(how *render.Tracing) {
	of := how.Samples
	for done := 0; done < of; {
		// batches of samples grow, so that progress is soon reported for the first time
		n := min(max(done, 1), 16, of-done)
		rays.InParallel(len(c.counts), func(tile int) {
			if done == 0 || !stopped(how.Stop) {
				c.tile(tile, n)
			}
		})
		if done += n; stopped(how.Stop) {
			break
		}
		if how.Progress != nil {
			how.Progress(done, of)
		}
	}
	c.finish(how)
}

func stopped(stop <-chan struct{}) bool {
	select {
	case <-stop:
		return true
	default:
		return false
	}
}

// tile adds n samples to the pixels of a tile.
func (c *canvas) tile(tile, n int) {
	x0, y0 := tile%c.cols*tileSize, tile/c.cols*tileSize
	for y := y0; y < min(y0+tileSize, c.height); y++ {
		for x := x0; x < min(x0+tileSize, c.width); x++ {
			i := y*c.width + x
			for k := range n {
				r := newRandom(c.view.NoiseKey, uint64(i), uint64(c.counts[tile]+k))
				u, v := float64(x)+float64(r.next())-0.5, float64(y)+float64(r.next())-0.5
				light := c.sample(u, v, &r)
				for k, l := range [3]float32{light.X, light.Y, light.Z} {
					c.sum[3*i+k] += float64(l)
					c.squares[3*i+k] += float64(l) * float64(l)
				}
			}
		}
	}
	c.counts[tile] += n
}

// sample returns an estimate of the light that arrives at a position of the image.
func (c *canvas) sample(u, v float64, r *random) rays.Vec {
	x, y := (u-c.cu)/c.fu, (v-c.cv)/c.fv
	if c.rim > 0 {
		// A mirror's image ends with a thin bright ring.
		if off := math.Hypot(x, y) * c.fu; off > c.rim*(1+render.RimShare) {
			return c.tube
		} else if off > c.rim {
			return c.ring
		}
	}
	var o, d rays.Vec
	if c.skew != nil {
		from, dir, ok := c.skew.Ray(u, v)
		if !ok {
			return c.tube
		}
		o, d = rays.Vec64(from), rays.Vec64(dir)
	} else {
		dir, ok := c.view.Model.Unproject(u, v)
		if !ok {
			return c.tube
		}
		d = rays.Vec64(dir)
	}
	cos2 := 1 / (1 + x*x + y*y)
	light := c.scene.radiance(c.frame.Place(o), c.frame.Rot.Apply(d).Unit(), near, c.tree, c.surfaces, r)
	return light.Mul(float32(1 + c.view.Vignetting*(cos2*cos2-1)))
}

// finish fills the view's images from the samples.
func (c *canvas) finish(how *render.Tracing) {
	fewest := how.Samples
	if c.view.Color != nil {
		clear(c.view.Color.Above)
	}
	for tile, n := range c.counts {
		fewest = min(fewest, n)
		x0, y0 := tile%c.cols*tileSize, tile/c.cols*tileSize
		for y := y0; y < min(y0+tileSize, c.height); y++ {
			for x := x0; x < min(x0+tileSize, c.width); x++ {
				i := 3 * (y*c.width + x)
				for k := i; k < i+3; k++ {
					c.write(k, float64(n))
				}
				if c.view.Color != nil && c.view.Color.Above != nil {
					c.addAbove(x, y, float64(n))
				}
			}
		}
	}
	if c.view.Radiance != nil {
		c.view.Radiance.Samples = fewest
	}
	if fewest < how.Samples && how.Progress != nil {
		how.Progress(fewest, how.Samples)
	}
}

// addAbove adds a pixel's light above white, which is the mean of n samples, to the pixel's cell.
func (c *canvas) addAbove(x, y int, n float64) {
	cols, _ := render.Cells(c.width, c.height)
	x0, y0 := x/render.CellSize*render.CellSize, y/render.CellSize*render.CellSize
	pixels := min(render.CellSize, c.width-x0) * min(render.CellSize, c.height-y0)
	to := c.view.Color.Above[3*(y/render.CellSize*cols+x/render.CellSize):][:3]
	for k := range to {
		to[k] += float32(max(c.sum[3*(y*c.width+x)+k]/n-1, 0) / float64(pixels))
	}
}

// write fills one component of the images from the sums over n samples.
func (c *canvas) write(k int, n float64) {
	mean := c.sum[k] / n
	if c.view.Color != nil {
		c.view.Color.Pix[k] = rays.Encode(float32(mean))
	}
	if r := c.view.Radiance; r != nil {
		r.Light[k], r.Error[k] = float32(mean), float32(math.Inf(1))
		if n > 1 {
			r.Error[k] = float32(math.Sqrt(max(c.squares[k]/n-mean*mean, 0) / (n - 1)))
		}
	}
}
