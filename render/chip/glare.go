package chip

import (
	"math"
	"slices"

	"github.com/omnipitch/omnipitch/render"
)

// Glare is the light that a lens scatters in an image of three colours, sampled at the middles of cells of GlareCell ×
// GlareCell pixels and of a border of cells around them. Between samples it is interpolated bilinearly.
//
// Scattered light falls off with the square of the distance, as the glare spread functions of lenses and eyes do
// (Stiles and Holladay's law; CIE 135/1, "Disability glare", 1999; McCann and Rizzi, "The Art and Science of HDR
// Imaging", 2012, for cameras). It is approximated in four quarters: three Gaussian blurs, with standard deviations of
// 1/64, 4/64 and 16/64 of the image's diagonal, and an even spread over the image. Each quarter reaches four times as
// far as the previous one, which corresponds to the inverse square. Pixels beyond the border repeat the border. A black
// spot in a white image receives the fraction that is scattered: ISO 9358's veiling glare index.
type Glare struct {
	Cols, Rows int // numbers of columns and rows of cells, without the border
}

// GlareCell is the side of a cell, pixels.
const GlareCell = render.CellSize

// glareScales are the standard deviations of the three blurs, as fractions of the image's diagonal.
var glareScales = [Blurs - 1]float64{1.0 / 64, 1.0 / 16, 1.0 / 4}

// NewGlare returns the grid of cells for an image of width × height pixels.
func NewGlare(width, height int) Glare {
	cols, rows := render.Cells(width, height)
	return Glare{Cols: cols, Rows: rows}
}

// Len returns the number of samples per colour, including the border.
func (g Glare) Len() int { return (g.Cols + 2) * (g.Rows + 2) }

// Room returns the number of floats that a buffer for all colours needs. The buffer includes the scratch memory of
// Scatter and add.
func (g Glare) Room() int { return 3*g.Len() + 2*g.Cols*g.Rows + g.Cols + 2 }

// index returns the index of a cell's sample within its colour.
func (g Glare) index(col, row int) int { return (row+1)*(g.Cols+2) + col + 1 }

// average computes the mean light of each cell. It first sums each column from the top, and then the columns from the
// left.
func (g Glare) average(to, plane []float32, width, height int) {
	for row := range g.Rows {
		for col := range g.Cols {
			x0, y0 := col*GlareCell, row*GlareCell
			w, h := min(GlareCell, width-x0), min(GlareCell, height-y0)
			var sums [GlareCell]float32
			for y := y0; y < y0+h; y++ {
				for x, l := range plane[y*width+x0:][:w] {
					sums[x] += l
				}
			}
			var sum float32
			for _, s := range sums[:w] {
				sum += s
			}
			to[g.index(col, row)] = sum / float32(w*h)
		}
	}
}

// Scatter replaces the mean light of cells by scattered light. The image has width × height pixels, and the lens
// scatters the fraction share of its light. memory must have Room numbers.
func (g Glare) Scatter(memory []float32, width, height int, share float64) {
	n := g.Cols * g.Rows
	sum, one := memory[3*g.Len():][:n], memory[3*g.Len()+n:][:n]
	diagonal := math.Hypot(float64(width), float64(height)) / GlareCell
	part := float32(share / float64(len(glareScales)+1))
	for color := range 3 {
		light := memory[color*g.Len():][:g.Len()]
		mean := g.mean(light, width, height)
		for i := range sum {
			sum[i] = mean
		}
		for _, scale := range glareScales {
			for row := range g.Rows {
				copy(one[row*g.Cols:][:g.Cols], light[g.index(0, row):])
			}
			g.blur(one, scale*diagonal)
			for i, l := range one {
				sum[i] += l
			}
		}
		for row := -1; row <= g.Rows; row++ {
			from := sum[max(0, min(g.Rows-1, row))*g.Cols:][:g.Cols]
			for col := -1; col <= g.Cols; col++ {
				light[g.index(col, row)] = part * from[max(0, min(g.Cols-1, col))]
			}
		}
	}
}

// mean returns the mean light of a colour over the image.
func (g Glare) mean(light []float32, width, height int) float32 {
	sum := 0.0
	for row := range g.Rows {
		for col := range g.Cols {
			pixels := min(GlareCell, width-col*GlareCell) * min(GlareCell, height-row*GlareCell)
			sum += float64(float64(light[g.index(col, row)]) * float64(pixels))
		}
	}
	return float32(sum / float64(width*height))
}

// blur blurs light with a standard deviation given in cells. It applies a first-order recursive filter forwards and
// backwards, twice along rows and twice along columns. The filter's response is k^|n|·(1 − k)/(1 + k), with the
// variance 2k/(1 − k)².
func (g Glare) blur(light []float32, sigma float64) {
	half := 1 + 2/(sigma*sigma)
	k := float32(1 / (half + math.Sqrt(half*half-1)))
	for range 2 {
		for row := range g.Rows {
			line := light[row*g.Cols:][:g.Cols]
			for i := 1; i < len(line); i++ {
				line[i] += float32(k * (line[i-1] - line[i]))
			}
			for i := len(line) - 2; i >= 0; i-- {
				line[i] += float32(k * (line[i+1] - line[i]))
			}
		}
		for i := g.Cols; i < len(light); i++ {
			light[i] += float32(k * (light[i-g.Cols] - light[i]))
		}
		for i := len(light) - g.Cols - 1; i >= 0; i-- {
			light[i] += float32(k * (light[i+g.Cols] - light[i]))
		}
	}
}

// Blurs is the number of Weights' blurs: those of glareScales, and the even spread.
const Blurs = 3 + 1

// Weights returns Scatter's blurs as weights, along rows and along columns: each blur is first applied to all rows of
// cells, and then to all columns. The scattered light is the fraction share / Blurs of the sum of the results. For a
// line of n cells there are Blurs matrices of n × n weights. The row i of a matrix gives the blurred cell i.
func (g Glare) Weights(width, height int) (ofRows, ofColumns []float32) {
	diagonal := math.Hypot(float64(width), float64(height)) / GlareCell
	return weights(g.Cols, width, diagonal), weights(g.Rows, height, diagonal)
}

// weights returns the weights for lines of n cells with the given number of pixels.
func weights(n, pixels int, diagonal float64) []float32 {
	all, line := make([]float32, Blurs*n*n), make([]float32, n)
	for from := range n {
		for k, scale := range glareScales {
			clear(line)
			line[from] = 1
			Glare{Cols: n, Rows: 1}.blur(line, scale*diagonal)
			for to, weight := range line {
				all[(k*n+to)*n+from] = weight
			}
		}
		for to := range n {
			all[((Blurs-1)*n+to)*n+from] = float32(min(GlareCell, pixels-from*GlareCell)) / float32(pixels)
		}
	}
	return all
}

// add adds the scattered light to the direct light of a colour's plane, which it first multiplies by keep.
func (g Glare) add(plane, memory []float32, color, width int, keep float32) {
	scattered, line := memory[color*g.Len():][:g.Len()], memory[g.Room()-g.Cols-2:g.Room()]
	for y := range len(plane) / width {
		cell, down := between(y)
		up, low := scattered[cell*(g.Cols+2):][:g.Cols+2], scattered[(cell+1)*(g.Cols+2):][:g.Cols+2]
		for i, l := range up {
			line[i] = l + float32((low[i]-l)*down)
		}
		row := plane[y*width:][:width]
		for x, l := range row {
			cell, right := between(x)
			row[x] = float32(l*keep) + (line[cell] + float32((line[cell+1]-line[cell])*right))
		}
	}
}

// between returns the two neighbouring cells between whose centres a row or column of pixels lies. The index of the
// first cell is at, and that of the second is at + 1; indices include the border. share is the weight of the second
// cell in an interpolation.
func between(pixel int) (at int, share float32) {
	pixel += GlareCell / 2
	return pixel / GlareCell, (float32(pixel%GlareCell) + 0.5) / GlareCell
}

// Glares reports whether an image records any light above white (render.Image.Above).
func Glares(im *render.Image) bool {
	return slices.ContainsFunc(im.Above, func(l float32) bool { return l > 0 })
}

// Brighten adds the light above white that an image records to one colour's plane, whose rows have the given stride. It
// divides the light of a cell equally among the cell's white pixels.
func Brighten(plane []float32, stride int, im *render.Image, color int) {
	cols, _ := render.Cells(im.Width, im.Height)
	for i := color; i < len(im.Above); i += 3 {
		if !(im.Above[i] > 0) {
			continue
		}
		x0, y0, white := i/3%cols*render.CellSize, i/3/cols*render.CellSize, 0
		w, h := min(render.CellSize, im.Width-x0), min(render.CellSize, im.Height-y0)
		for y := y0; y < y0+h; y++ {
			for x := x0; x < x0+w; x++ {
				if im.Pix[3*(y*im.Width+x)+color] == 255 {
					white++
				}
			}
		}
		if white == 0 {
			continue
		}
		factor := 1 + im.Above[i]*float32(w*h)/float32(white)
		for y := y0; y < y0+h; y++ {
			for x := x0; x < x0+w; x++ {
				if im.Pix[3*(y*im.Width+x)+color] == 255 {
					plane[y*stride+x] *= factor // the plane may already be dimmed by dirt
				}
			}
		}
	}
}
