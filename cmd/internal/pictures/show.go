package main

import (
	"image"
	"image/color"
	"math"

	"github.com/omnipitch/omnipitch/cmd/internal/output"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
)

// colors returns the colour image.
func colors(o *sensors.Observation) image.Image { return output.ColorPicture(o.Color) }

// paint makes an image from a colour for each pixel.
func paint(width, height int, of func(i int) color.Color) image.Image {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range width * height {
		m.Set(i%width, i/width, of(i))
	}
	return m
}

// far is the distance that is shown darkest, m.
const far = 6

func distance(z float32) color.Color {
	if z <= 0 || z > far {
		return color.Black
	}
	return hue(0.7*float64(z)/far, 1, 1)
}

func depths(o *sensors.Observation) image.Image {
	return paint(o.Depth.Width, o.Depth.Height, func(i int) color.Color { return distance(o.Depth.Z[i]) })
}

func labels(o *sensors.Observation) image.Image {
	t := o.Truth
	return paint(t.Width, t.Height, func(i int) color.Color {
		if t.Labels[i] == render.LabelNothing {
			return color.Black
		}
		return hue(math.Mod(0.381966*float64(t.Labels[i]), 1), 0.75, 0.95)
	})
}

func ranges(o *sensors.Observation) image.Image {
	return paint(o.Truth.Width, o.Truth.Height, func(i int) color.Color { return distance(o.Truth.Range[i]) })
}

func normals(o *sensors.Observation) image.Image {
	t := o.Truth
	return paint(t.Width, t.Height, func(i int) color.Color {
		n := t.Normals[3*i : 3*i+3]
		if n[0] == 0 && n[1] == 0 && n[2] == 0 {
			return color.Black
		}
		of := func(x float32) uint8 { return uint8(127.5 + 127.5*x) }
		return color.NRGBA{of(n[0]), of(n[1]), of(n[2]), 255}
	})
}

// flow shows direction as hue and speed as saturation.
func flow(o *sensors.Observation) image.Image {
	t := o.Truth
	return paint(t.Width, t.Height, func(i int) color.Color {
		u, v := float64(t.Flow[2*i]), float64(t.Flow[2*i+1])
		if math.IsNaN(u) {
			return color.Black
		}
		return hue(math.Atan2(v, u)/2/math.Pi+0.5, math.Min(1, math.Hypot(u, v)/20), 1)
	})
}

// hue converts HSV to a colour; all arguments are in [0, 1].
func hue(h, saturation, value float64) color.Color {
	of := func(n float64) uint8 {
		k := math.Mod(n+6*h, 6)
		return uint8(255 * value * (1 - saturation*math.Max(0, math.Min(1, math.Min(k, 4-k)))))
	}
	return color.NRGBA{of(5), of(3), of(1), 255}
}

// reduced returns a part of a picture, reduced by averaging n × n pixels.
func reduced(m image.Image, part image.Rectangle, n int) image.Image {
	out := image.NewNRGBA(image.Rect(0, 0, part.Dx()/n, part.Dy()/n))
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			var sum [3]uint32
			for k := range n * n {
				r, g, b, _ := m.At(part.Min.X+x*n+k%n, part.Min.Y+y*n+k/n).RGBA()
				sum[0], sum[1], sum[2] = sum[0]+r, sum[1]+g, sum[2]+b
			}
			area := uint32(n * n * 257)
			out.Set(x, y, color.NRGBA{uint8(sum[0] / area), uint8(sum[1] / area), uint8(sum[2] / area), 255})
		}
	}
	return out
}
