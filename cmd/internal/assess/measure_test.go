package assess

import (
	"image"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Statistics describes light, noise and carpet of a camera's image in bytes, as a viewer sees them. The values of the
// carpet are NaN in an image with too little of it.
type Statistics struct {
	Luminance float64 // mean, 0 to 255, by ITU-R BT.601
	Clipped   float64 // share of pixels one of whose colours is 254 or 255
	// Red and Green are the means of red and green as shares of the sum of a carpet pixel's colours.
	Red, Green      float64
	CarpetLuminance float64 // mean, 0 to 255
	// Noise is the standard deviation of the difference of carpet pixels from the mean of 3 × 3 pixels, as a share of
	// their mean luminance. It is estimated by the median, so outliers do not count.
	Noise float64
	// Texture is the standard deviation of the means of 8 × 8 pixels in squares of 64 × 64 pixels of carpet, after a
	// plane has been taken off, as a share of their mean. It is the median over the squares.
	Texture float64
}

// StatisticNames are the names of the values of Statistics, in order.
var StatisticNames = [7]string{"luminance", "clipped", "carpet red", "carpet green", "carpet luminance", "noise",
	"texture"}

// Values returns the values in the order of StatisticNames.
func (s *Statistics) Values() [7]float64 {
	return [7]float64{s.Luminance, s.Clipped, s.Red, s.Green, s.CarpetLuminance, s.Noise, s.Texture}
}

// carpetPicture is the luminance of an image, and which pixels show carpet.
type carpetPicture struct {
	width, height int
	luminance     []float64
	carpet        []bool
	counts        []int // of carpet pixels above and to the left, (width + 1) × (height + 1)
}

// within returns the number of carpet pixels in a rectangle.
func (p *carpetPicture) within(x, y, width, height int) int {
	at := func(x, y int) int { return p.counts[y*(p.width+1)+x] }
	return at(x+width, y+height) - at(x, y+height) - at(x+width, y) + at(x, y)
}

// isCarpet reports whether a pixel may show green carpet: its hue is 80° to 180°, its saturation at least 60/255 and
// its value at least 30.
func isCarpet(r, g, b float64) bool {
	most, least := max(r, g, b), min(r, g, b)
	if most < 30 || (most-least)*255 < 60*most || g != most {
		return false
	}
	hue := 120 + 60*(b-r)/(most-least)
	return hue >= 80 && hue <= 180
}

// Measure returns the statistics of an image.
func Measure(from image.Image) Statistics {
	nan := math.NaN()
	s := Statistics{Red: nan, Green: nan, CarpetLuminance: nan, Noise: nan, Texture: nan}
	bounds := from.Bounds()
	p := carpetPicture{width: bounds.Dx(), height: bounds.Dy()}
	pixels := p.width * p.height
	p.luminance, p.carpet = make([]float64, pixels), make([]bool, pixels)
	p.counts = make([]int, (p.width+1)*(p.height+1))
	var luminance, clipped, red, green, bright, carpet float64
	for y := range p.height {
		for x := range p.width {
			r16, g16, b16, _ := from.At(bounds.Min.X+x, bounds.Min.Y+y).RGBA()
			r, g, b := float64(r16>>8), float64(g16>>8), float64(b16>>8)
			l, i := 0.299*r+0.587*g+0.114*b, y*p.width+x
			luminance += l
			p.luminance[i] = l
			if max(r, g, b) >= 254 {
				clipped++
			}
			row := (y + 1) * (p.width + 1)
			p.counts[row+x+1] = p.counts[row+x] + p.counts[row-p.width-1+x+1] - p.counts[row-p.width-1+x]
			if isCarpet(r, g, b) {
				p.carpet[i] = true
				p.counts[row+x+1]++
				carpet++
				bright += l
				red += r / (r + g + b)
				green += g / (r + g + b)
			}
		}
	}
	s.Luminance, s.Clipped = luminance/float64(pixels), clipped/float64(pixels)
	if carpet > 0 {
		s.Red, s.Green, s.CarpetLuminance = red/carpet, green/carpet, bright/carpet
		s.Noise, s.Texture = p.noise(), p.texture()
	}
	return s
}

// noise measures pixels whose neighbours up to 4 pixels away are carpet.
func (p *carpetPicture) noise() float64 {
	const reach = 4
	var differences []float64
	sum := 0.0
	for y := reach; y < p.height-reach; y++ {
		for x := reach; x < p.width-reach; x++ {
			if p.within(x-reach, y-reach, 2*reach+1, 2*reach+1) < (2*reach+1)*(2*reach+1) {
				continue
			}
			mean := 0.0
			for dy := -1; dy <= 1; dy++ {
				row := p.luminance[(y+dy)*p.width+x-1:][:3]
				mean += row[0] + row[1] + row[2]
			}
			l := p.luminance[y*p.width+x]
			differences = append(differences, math.Abs(l-mean/9))
			sum += l
		}
	}
	if len(differences) == 0 {
		return math.NaN()
	}
	const fromMedian = 1.4826 // standard deviation of a normal distribution, in medians of its absolute value
	return fromMedian * median(differences) / (sum / float64(len(differences)))
}

func (p *carpetPicture) texture() float64 {
	const cell, side = 8, 8 // pixels of a cell, cells of a square
	cols, rows := p.width/cell, p.height/cell
	means := make([]float64, cols*rows)
	for row := range rows {
		for col := range cols {
			for y := range cell {
				for _, l := range p.luminance[(row*cell+y)*p.width+col*cell:][:cell] {
					means[row*cols+col] += l / (cell * cell)
				}
			}
		}
	}
	var all []float64
	for row := 0; row+side <= rows; row++ {
		for col := 0; col+side <= cols; col++ {
			if p.within(col*cell, row*cell, side*cell, side*cell)*100 < 98*side*cell*side*cell {
				continue
			}
			// Rows and columns of a square are orthogonal, so the plane's slopes are independent of each other.
			const spread = side * (side*side - 1) / 12. * side
			var sum, squares, across, down float64
			for y := range side {
				for x := range side {
					v := means[(row+y)*cols+col+x]
					sum += v
					squares += v * v
					across += v * (float64(x) - (side-1)/2.)
					down += v * (float64(y) - (side-1)/2.)
				}
			}
			n := float64(side * side)
			rest := squares - sum*sum/n - (across*across+down*down)/spread
			all = append(all, math.Sqrt(max(rest, 0)/n)/(sum/n))
		}
	}
	if len(all) == 0 {
		return math.NaN()
	}
	return median(all)
}

// median sorts its argument.
func median(all []float64) float64 {
	slices.Sort(all)
	return stat.Quantile(0.5, stat.LinInterp, all, nil)
}
