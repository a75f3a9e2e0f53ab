package chip

import "github.com/omnipitch/omnipitch/render"

// colorBits is the number of fractional bits of colour conversion factors.
const colorBits = 16

// separate fills the components of an image: ITU-R BT.601 luma, and chroma averaged over 2 × 2 pixels. Means are
// rounded up and down alternately. Samples beyond the image repeat the border. rows is scratch memory for two pixel
// rows of chroma.
func (j *jpeg) separate(im *render.Image, y, cb, cr, rows []byte) {
	stride := j.luma.stride
	blue, red := rows[:2*stride], rows[2*stride:4*stride]
	for row := 0; row < j.height; row += 2 {
		for i := range 2 {
			from := im.Pix[3*im.Width*min(row+i, j.height-1):][:3*im.Width]
			luma := y[(row+i)*stride:][:stride]
			b, r := blue[i*stride:][:stride], red[i*stride:][:stride]
			for x := range im.Width {
				R, G, B := int32(from[3*x]), int32(from[3*x+1]), int32(from[3*x+2])
				luma[x] = byte((19595*R + 38470*G + 7471*B + 1<<15) >> colorBits)
				b[x] = byte((-11059*R - 21709*G + 32768*B + 128<<colorBits + 1<<15 - 1) >> colorBits)
				r[x] = byte((32768*R - 27439*G - 5329*B + 128<<colorBits + 1<<15 - 1) >> colorBits)
			}
			for _, line := range [3][]byte{luma, b, r} {
				fill(line[im.Width:], line[im.Width-1])
			}
		}
		at := row / 2 * j.chroma.stride
		halve(cb[at:][:j.chroma.stride], blue, stride)
		halve(cr[at:][:j.chroma.stride], red, stride)
	}
	for row := (j.height + 1) / 2 * 2; row < j.luma.rows; row++ {
		copy(y[row*stride:][:stride], y[(row-1)*stride:])
	}
	for row := j.chroma.height; row < j.chroma.rows; row++ {
		for _, c := range [2][]byte{cb, cr} {
			copy(c[row*j.chroma.stride:][:j.chroma.stride], c[(row-1)*j.chroma.stride:])
		}
	}
}

func fill(line []byte, v byte) {
	for i := range line {
		line[i] = v
	}
}

// halve computes the means of 2 × 2 samples of two rows, and writes them to its argument to.
func halve(to, rows []byte, stride int) {
	up, low := rows[:stride], rows[stride:]
	for i := range to {
		sum := uint(up[2*i]) + uint(up[2*i+1]) + uint(low[2*i]) + uint(low[2*i+1])
		to[i] = byte((sum + 1 + uint(i&1)) >> 2)
	}
}

// join rebuilds an image from its components. Chroma is interpolated linearly between the centres of its samples.
func (j *jpeg) join(im *render.Image, y, cb, cr, rows []byte) {
	stride := j.luma.stride
	blue, red := rows[:stride], rows[stride:2*stride]
	for row := range j.height {
		j.chroma.double(blue, cb, row)
		j.chroma.double(red, cr, row)
		to, luma := im.Pix[3*im.Width*row:][:3*im.Width], y[row*stride:][:stride]
		for x := range im.Width {
			l, b, r := int32(luma[x]), int32(blue[x])-128, int32(red[x])-128
			to[3*x] = byte(max(0, min(255, l+(91881*r+1<<15)>>colorBits)))
			to[3*x+1] = byte(max(0, min(255, l+(-22554*b-46802*r+1<<15)>>colorBits)))
			to[3*x+2] = byte(max(0, min(255, l+(116130*b+1<<15)>>colorBits)))
		}
	}
}

// double interpolates a row of pixels from a component. The nearer row and column of samples have a weight of three
// quarters, the farther row and column a quarter.
func (p *component) double(to, samples []byte, row int) {
	near := row / 2
	far := max(0, min(p.height-1, near+2*(row&1)-1))
	a, b := samples[near*p.stride:][:p.width], samples[far*p.stride:][:p.width]
	if p.width <= 2 { // libjpeg does not interpolate such narrow images
		for x := range 2 * p.width {
			to[x] = a[x/2]
		}
		return
	}
	own := 3*int32(a[0]) + int32(b[0])
	last := own
	for x := range p.width {
		next := own
		if x+1 < p.width {
			next = 3*int32(a[x+1]) + int32(b[x+1])
		}
		to[2*x], to[2*x+1] = byte((3*own+last+8)>>4), byte((3*own+next+7)>>4)
		last, own = own, next
	}
}
