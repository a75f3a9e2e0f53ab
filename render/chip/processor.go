package chip

import (
	"slices"
	"sync"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
)

// Vectors is a faster implementation of Processor's methods of the same names that gives the same bytes: the type Chips
// of render/internal/tile.
type Vectors interface {
	Apply(im *render.Image, c *render.Chip, noiseKey uint64)
	Compress(im *render.Image, quality int)
	Measure(d *render.Depth, r *render.Ranging, lens optics.Pinhole, noiseKey uint64)
}

// Processor applies chips and rangings to images, and caches tables. The zero value is ready for use. Any goroutine may
// use it.
type Processor struct {
	Vectors Vectors // if not nil, does the work of its methods; must be set before the first use

	mu      sync.Mutex
	tables  map[tableKey]*table
	idle    []*job
	running sync.WaitGroup
	planes  sync.Pool // of *[]float32
	memory  sync.Pool // of *Memory
}

// Apply applies the faults of a chip to an image, in place. A nil chip changes nothing. The chip must be valid for the
// image's size (see render.View.Validate). The key selects the random numbers: one key for each image.
func (p *Processor) Apply(im *render.Image, c *render.Chip, noiseKey uint64) {
	if c == nil {
		return
	}
	if p.Vectors != nil {
		p.Vectors.Apply(im, c, noiseKey)
		return
	}
	if n := NewNumbers(c, noiseKey, im.Width, im.Height); c.Chromatic != 0 || c.Bayer || c.Glare != 0 || n.Fixed.On ||
		n.Columns.On || c.Rows.On() || Glares(im) {
		rows := p.plane(im.Height)
		defer p.planes.Put(rows)
		*rows = AppendRows(*rows, c, im.Height)
		n.Rows = *rows
		p.applyByPlanes(im, c, &n)
	} else {
		p.applyByTables(im, c, &n)
	}
	if c.Processes() {
		p.process(im, c)
	}
}

// Compress compresses an image as JPEG with a quality from 1 to 100, and decompresses it, in place.
func (p *Processor) Compress(im *render.Image, quality int) {
	if p.Vectors != nil {
		p.Vectors.Compress(im, quality)
		return
	}
	p.process(im, &render.Chip{JPEGQuality: quality})
}

// process calls Process.
func (p *Processor) process(im *render.Image, c *render.Chip) {
	memory, ok := p.memory.Get().(*Memory)
	if !ok {
		memory = new(Memory)
	}
	Process(im, c, memory)
	p.memory.Put(memory)
}

// job is a view to whose images a separate goroutine applies the chip and the ranging.
type job struct {
	view     render.View
	color    bool // whether something is left to do of the chip
	compress bool // whether that is only the compression
	run      func()
}

// Start applies, in another goroutine, a view's chip to its colour image and its ranging to its distances, if the view
// has them. The view must be valid. Wait waits for all started views.
func (p *Processor) Start(v *render.View) { p.start(v, false) }

// StartCompression is Start for a view to whose image all of its chip but the JPEG compression is already applied.
func (p *Processor) StartCompression(v *render.View) { p.start(v, true) }

func (p *Processor) start(v *render.View, compress bool) {
	color := v.Color != nil && v.Chip != nil && (!compress || v.Chip.JPEGQuality != 0)
	depth := v.Depth != nil && v.Ranging != nil
	if !color && !depth {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var j *job
	if n := len(p.idle); n > 0 {
		j, p.idle = p.idle[n-1], p.idle[:n-1]
	} else {
		j = &job{}
		j.run = func() {
			defer p.running.Done()
			switch v := &j.view; {
			case !j.color:
			case j.compress:
				p.Compress(v.Color, v.Chip.JPEGQuality)
			default:
				p.Apply(v.Color, v.Chip, v.NoiseKey)
			}
			if v := &j.view; v.Depth != nil && v.Ranging != nil {
				p.Measure(v.Depth, v.Ranging, v.Model.(optics.Pinhole), v.NoiseKey)
			}
			p.mu.Lock()
			defer p.mu.Unlock()
			j.view = render.View{}
			p.idle = append(p.idle, j)
		}
	}
	j.view, j.color, j.compress = *v, color, compress
	p.running.Add(1)
	go j.run()
}

// Wait blocks until everything that Start started is done.
func (p *Processor) Wait() { p.running.Wait() }

// mostTables is the largest number of cached tables; a table takes 256 KB.
const mostTables = 64

// table returns the table for a chip's colour, computed on first use.
func (p *Processor) table(k tableKey) *table {
	p.mu.Lock()
	defer p.mu.Unlock()
	t, ok := p.tables[k]
	if !ok {
		if p.tables == nil || len(p.tables) == mostTables {
			p.tables = map[tableKey]*table{}
		}
		t = newTable(k)
		p.tables[k] = t
	}
	return t
}

// applyByTables applies a chip with tables. With such a chip, each byte of the result depends only on the old byte, its
// random number and the dirt at its pixel.
func (p *Processor) applyByTables(im *render.Image, c *render.Chip, n *Numbers) {
	var tables [3]*table
	for color := range tables {
		tables[color] = p.table(tableKey{n.Exposure, n.Shot, n.Read, n.Gain[color]})
	}
	red, green, blue := tables[0], tables[1], tables[2]
	for pixel := range im.Width * im.Height {
		index := uint32(3 * pixel)
		b := im.Pix[3*pixel : 3*pixel+3 : 3*pixel+3]
		s0, s1, s2 := byteSum(n.Key.bits(index)), byteSum(n.Key.bits(index+1)), byteSum(n.Key.bits(index+2))
		if len(c.Dirt) > 0 && c.Dirt[pixel] < 1 {
			for color, s := range [3]uint32{s0, s1, s2} {
				b[color] = render.Encode8(n.reading(render.Decode8(b[color])*c.Dirt[pixel], normal(s), color))
			}
			continue
		}
		b[0] = red[int(b[0])<<tableShift|int(s0)]
		b[1] = green[int(b[1])<<tableShift|int(s1)]
		b[2] = blue[int(b[2])<<tableShift|int(s2)]
	}
}

// applyByPlanes applies a chip with which pixels depend on their neighbours.
func (p *Processor) applyByPlanes(im *render.Image, c *render.Chip, n *Numbers) {
	pixels := im.Width * im.Height
	var light [3]*[]float32
	defer func() {
		for _, plane := range light {
			p.planes.Put(plane)
		}
	}()
	for color := range light {
		light[color] = p.plane(pixels)
		plane := *light[color]
		for i := range plane {
			plane[i] = render.Decode8(im.Pix[3*i+color])
			if len(c.Dirt) > 0 {
				plane[i] *= c.Dirt[i]
			}
		}
		Brighten(plane, im.Width, im, color)
	}
	glare, scattered := NewGlare(im.Width, im.Height), (*[]float32)(nil)
	if c.Glare != 0 {
		scattered = p.plane(glare.Room())
		defer p.planes.Put(scattered)
		for color, plane := range light {
			glare.average((*scattered)[color*glare.Len():], *plane, im.Width, im.Height)
		}
		glare.Scatter(*scattered, im.Width, im.Height, c.Glare)
	}
	if n.Columns.On {
		memory := p.plane(ColumnsRoom(im.Height))
		for _, plane := range light {
			n.Columns.apply(*plane, im.Width, im.Height, *memory)
		}
		p.planes.Put(memory)
	}
	if c.Chromatic != 0 {
		spare := p.plane(pixels)
		magnify(*spare, *light[0], im.Width, im.Height, n.Scale[0])
		light[0], spare = spare, light[0]
		magnify(*spare, *light[2], im.Width, im.Height, n.Scale[1])
		light[2], spare = spare, light[2]
		p.planes.Put(spare)
	}
	if c.Glare != 0 {
		for color, plane := range light {
			glare.add(*plane, *scattered, color, im.Width, n.Keep)
		}
	}
	if c.Bayer {
		read := *light[0]
		for i := range read {
			x, y := i%im.Width, i/im.Width
			color := bayer[y&1][x&1]
			read[i] = n.readingAt((*light[color])[i], x, y, im.Width, color)
		}
		demosaic(im, read)
		return
	}
	for i := range pixels {
		for color := range light {
			im.Pix[3*i+color] = render.Encode8(n.readingAt((*light[color])[i], i%im.Width, i/im.Width, im.Width, color))
		}
	}
}

// plane returns memory for n floats, one per pixel. The caller must put the memory back into planes.
func (p *Processor) plane(n int) *[]float32 {
	plane, ok := p.planes.Get().(*[]float32)
	if !ok {
		plane = new([]float32)
	}
	*plane = slices.Grow((*plane)[:0], n)[:n]
	return plane
}
