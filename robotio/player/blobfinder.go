package player

import (
	"math"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors"
)

// blob is a blob of one colour in an image.
type blob struct {
	id, color, area        int
	u, v                   float64 // centre, pixels
	minU, minV, maxU, maxV float64
}

// Numbers of blobs.
const (
	ballBlob = 1 + iota
	bodyBlob // a robot or an obstacle
	cyanBlob // colour card of a robot
	magentaBlob
	postBlob
)

// blobfinder adds a device for each camera. It sends the features of level features that have an area.
func (p *port) blobfinder() {
	ball := ballColor(string(p.server.sim.World().Ball.Color))
	for _, cfg := range p.cameras() {
		d := p.add(blobfinderInterface, cfg.Name)
		var blobs []blob
		is := func(l abstraction.Level) bool { return l == abstraction.Features }
		d.listen(cfg.Name, is, func(o *sensors.Observation) {
			blobs = appendBlobs(blobs[:0], o.Features, ball)
			m := d.data(1, o.Stamp)
			m.b = appendCount(appendInts(m.b, cfg.Image.Width, cfg.Image.Height), len(blobs))
			for i := range blobs {
				m.b = blobs[i].append(m.b, cfg.Image.Width, cfg.Image.Height)
			}
			d.send(m)
		})
	}
}

// ballColor returns a colour as a number, 0xRRGGBB. Without a colour it is that of the default ball.
func ballColor(text string) int {
	if n, err := strconv.ParseUint(strings.TrimPrefix(text, "#"), 16, 24); err == nil {
		return int(n)
	}
	return 0xefbc21
}

func appendBlobs(all []blob, f *abstraction.FeatureList, ball int) []blob {
	if f == nil {
		return all
	}
	for i := range f.Balls {
		b := &f.Balls[i]
		r := b.Diameter / 2
		all = append(all, blob{ballBlob, ball, int(math.Pi * r * r), b.U, b.V, b.U - r, b.V - r, b.U + r, b.V + r})
	}
	box := func(b *abstraction.BoxFeature, id, color int) {
		all = append(all, blob{id, color, b.Pixels, (b.MinU + b.MaxU) / 2, (b.MinV + b.MaxV) / 2, b.MinU, b.MinV,
			b.MaxU, b.MaxV})
	}
	for i := range f.Obstacles {
		box(&f.Obstacles[i], bodyBlob, 0)
	}
	for i := range f.Cards {
		if f.Cards[i].Team == "cyan" {
			box(&f.Cards[i], cyanBlob, 0x00ffff)
		} else {
			box(&f.Cards[i], magentaBlob, 0xff00ff)
		}
	}
	for i := range f.Posts {
		p := &f.Posts[i]
		half := p.Width / 2
		b := blob{id: postBlob, color: 0xffffff,
			area: int(math.Hypot(p.Top[0]-p.Foot[0], p.Top[1]-p.Foot[1]) * p.Width),
			u:    (p.Top[0] + p.Foot[0]) / 2, v: (p.Top[1] + p.Foot[1]) / 2}
		b.minU, b.maxU = min(p.Top[0], p.Foot[0])-half, max(p.Top[0], p.Foot[0])+half
		b.minV, b.maxV = min(p.Top[1], p.Foot[1]), max(p.Top[1], p.Foot[1])
		all = append(all, b)
	}
	return all
}

// append appends the blob. Its pixels are limited to those of the image. Its range is 0: it is not known.
func (b *blob) append(to []byte, width, height int) []byte {
	u := func(x float64) int { return int(min(max(math.Round(x), 0), float64(width-1))) }
	v := func(x float64) int { return int(min(max(math.Round(x), 0), float64(height-1))) }
	to = appendInts(to, b.id, b.color, b.area, u(b.u), v(b.v), u(b.minU), u(b.maxU), v(b.minV), v(b.maxV))
	return appendFloat(to, 0)
}
