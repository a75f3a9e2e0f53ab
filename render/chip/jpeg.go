package chip

import "github.com/omnipitch/omnipitch/render"

// jpeg applies the losses of JPEG (ITU-T T.81, 4:2:0) to an image. It encodes and decodes the image without entropy
// coding, which is lossless. Colour conversion, chroma subsampling and interpolation, and the discrete cosine
// transforms give the same bytes as libjpeg with its default settings (JDCT_ISLOW, fancy upsampling). OpenCV and most
// camera drivers use these settings.
type jpeg struct {
	width, height int
	luma, chroma  component
	steps         [2]*quantiser // for luma and chroma
}

// component is the plane of luma or of one chroma. The plane has stride × rows samples, which form whole blocks. Of
// these, width × height samples belong to the image.
type component struct{ stride, rows, width, height int }

func newJPEG(width, height, quality int) jpeg {
	whole := func(n int) int { return (n + 15) / 16 * 16 }
	w, h := whole(width), whole(height)
	return jpeg{
		width: width, height: height,
		luma:   component{w, h, width, height},
		chroma: component{w / 2, h / 2, (width + 1) / 2, (height + 1) / 2},
		steps:  [2]*quantiser{&quantisers[quality][0], &quantisers[quality][1]},
	}
}

// JPEGSteps returns the quantisation steps for a quality from 1 to 100: first the steps for luma and then those for
// chroma, each row by row.
func JPEGSteps(quality int) *[2][64]uint8 { return &jpegSteps[quality] }

var jpegSteps = func() (q [101][2][64]uint8) {
	for quality := 1; quality <= 100; quality++ {
		scale := 200 - 2*quality
		if quality < 50 {
			scale = 5000 / quality
		}
		for t, table := range [2]*[64]uint8{&lumaSteps, &chromaSteps} {
			for i, v := range table {
				q[quality][t][i] = uint8(max(1, min(255, (int(v)*scale+50)/100)))
			}
		}
	}
	return q
}()

// quantiser holds quantisation steps and multipliers. The result of the transform is 8 times too large, so quantisation
// divides it by 8 times the step. Instead of dividing by a divisor n, quantise multiplies by 2³²/n, rounded up, and
// shifts right by 32 bits. This is exact for all results of the transform.
type quantiser struct {
	step    [64]int32
	inverse [64]uint64
}

// quantisers holds the tables of each quality, for luma and chroma.
var quantisers = func() (q [101][2]quantiser) {
	for quality := range q {
		for t, table := range jpegSteps[quality] {
			for i, v := range table {
				step := max(1, int(v))
				q[quality][t].step[i], q[quality][t].inverse[i] = int32(step), uint64((1<<32+8*step-1)/(8*step))
			}
		}
	}
	return q
}()

// Steps at quality 50, row by row. Source: T.81, tables K.1 and K.2.
var (
	lumaSteps = [64]uint8{
		16, 11, 10, 16, 24, 40, 51, 61,
		12, 12, 14, 19, 26, 58, 60, 55,
		14, 13, 16, 24, 40, 57, 69, 56,
		14, 17, 22, 29, 51, 87, 80, 62,
		18, 22, 37, 56, 68, 109, 103, 77,
		24, 35, 55, 64, 81, 104, 113, 92,
		49, 64, 78, 87, 103, 121, 120, 101,
		72, 92, 95, 98, 112, 100, 103, 99,
	}
	chromaSteps = [64]uint8{
		17, 18, 24, 47, 99, 99, 99, 99,
		18, 21, 26, 66, 99, 99, 99, 99,
		24, 26, 56, 99, 99, 99, 99, 99,
		47, 66, 99, 99, 99, 99, 99, 99,
		99, 99, 99, 99, 99, 99, 99, 99,
		99, 99, 99, 99, 99, 99, 99, 99,
		99, 99, 99, 99, 99, 99, 99, 99,
		99, 99, 99, 99, 99, 99, 99, 99,
	}
)

// room returns the number of bytes of scratch memory that apply needs. It holds three components, and two rows of
// chroma before subsampling.
func (j *jpeg) room() int {
	return j.luma.stride*j.luma.rows + 2*j.chroma.stride*j.chroma.rows + 4*j.luma.stride
}

// apply replaces an image by its JPEG-compressed version.
func (j *jpeg) apply(im *render.Image, memory []byte) {
	take := func(n int) []byte {
		taken := memory[:n]
		memory = memory[n:]
		return taken
	}
	y := take(j.luma.stride * j.luma.rows)
	n := j.chroma.stride * j.chroma.rows
	cb, cr := take(n), take(n)
	j.separate(im, y, cb, cr, memory)
	j.luma.quantise(y, j.steps[0])
	j.chroma.quantise(cb, j.steps[1])
	j.chroma.quantise(cr, j.steps[1])
	j.join(im, y, cb, cr, memory)
}

// quantise replaces each block of samples by the samples that a JPEG decoder would restore from it.
func (p *component) quantise(samples []byte, q *quantiser) {
	var block [64]int32
	for y := 0; y < p.rows; y += 8 {
		for x := 0; x < p.stride; x += 8 {
			from := samples[y*p.stride+x:]
			for i := range 8 {
				row := from[i*p.stride:][:8]
				for k, v := range row {
					block[8*i+k] = int32(v) - 128
				}
			}
			forwardDCT(&block)
			for i, v := range block {
				sign := v >> 31
				size := int32(uint64((v^sign)-sign+4*q.step[i]) * q.inverse[i] >> 32)
				block[i] = ((size ^ sign) - sign) * q.step[i]
			}
			inverseDCT(&block)
			for i := range 8 {
				row := from[i*p.stride:][:8]
				for k := range row {
					row[k] = byte(max(0, min(255, block[8*i+k]+128)))
				}
			}
		}
	}
}

// colorBits is the number of fractional bits of colour conversion factors.
const colorBits = 16

// separate fills the components of an image: ITU-R BT.601 luma, and chroma averaged over 2 × 2 pixels. It rounds means
// up and down alternately. Samples beyond the image repeat the border. rows is scratch memory for two pixel rows of
// chroma.
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

// halve computes the means of 2 × 2 samples of two rows, and writes them to the first argument.
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

// double interpolates a row of pixels from a component. The nearest row and column of samples have a weight of three
// quarters, and the next nearest have a weight of one quarter.
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

// Constants of the discrete cosine transforms: the factors with 13 fractional bits, and the number of extra bits of
// precision between the row pass and the column pass. The algorithm is that of Loeffler, Ligtenberg and Moschytz,
// "Practical fast 1-D DCT algorithms with 11 multiplications" (ICASSP 1989), in libjpeg's order.
const (
	dctBits  = 13
	passBits = 2

	fix0298631336 = 2446
	fix0390180644 = 3196
	fix0541196100 = 4433
	fix0765366865 = 6270
	fix0899976223 = 7373
	fix1175875602 = 9633
	fix1501321110 = 12299
	fix1847759065 = 15137
	fix1961570560 = 16069
	fix2053119869 = 16819
	fix2562915447 = 20995
	fix3072711026 = 25172
)

// rounded returns x/2^bits, rounded to the nearest integer.
func rounded(x int32, bits uint) int32 { return (x + 1<<(bits-1)) >> bits }

// forwardDCT transforms 8 × 8 samples centred on 0. The result is scaled by 8.
func forwardDCT(b *[64]int32) {
	for i := 0; i < 64; i += 8 {
		forwardLine(b, i, 1, true)
	}
	for i := range 8 {
		forwardLine(b, i, 8, false)
	}
}

// forwardLine transforms a row in the first pass, and a column in the second pass.
func forwardLine(b *[64]int32, at, step int, row bool) {
	d := func(i int) *int32 { return &b[(at+i*step)&63] }
	t0, t7 := *d(0)+*d(7), *d(0)-*d(7)
	t1, t6 := *d(1)+*d(6), *d(1)-*d(6)
	t2, t5 := *d(2)+*d(5), *d(2)-*d(5)
	t3, t4 := *d(3)+*d(4), *d(3)-*d(4)

	t10, t13 := t0+t3, t0-t3
	t11, t12 := t1+t2, t1-t2
	bits := uint(dctBits + passBits)
	if row {
		*d(0), *d(4) = (t10+t11)<<passBits, (t10-t11)<<passBits
		bits = dctBits - passBits
	} else {
		*d(0), *d(4) = rounded(t10+t11, passBits), rounded(t10-t11, passBits)
	}
	z1 := (t12 + t13) * fix0541196100
	*d(2), *d(6) = rounded(z1+t13*fix0765366865, bits), rounded(z1-t12*fix1847759065, bits)

	z1, z2, z3, z4 := t4+t7, t5+t6, t4+t6, t5+t7
	z5 := (z3 + z4) * fix1175875602
	t4 *= fix0298631336
	t5 *= fix2053119869
	t6 *= fix3072711026
	t7 *= fix1501321110
	z1 *= -fix0899976223
	z2 *= -fix2562915447
	z3 = z3*-fix1961570560 + z5
	z4 = z4*-fix0390180644 + z5
	*d(7), *d(5) = rounded(t4+z1+z3, bits), rounded(t5+z2+z4, bits)
	*d(3), *d(1) = rounded(t6+z2+z3, bits), rounded(t7+z1+z4, bits)
}

// inverseDCT inverts forwardDCT. Its input is the result of forwardDCT divided by 8.
func inverseDCT(b *[64]int32) {
	for i := range 8 {
		inverseLine(b, i, 8, dctBits-passBits)
	}
	for i := 0; i < 64; i += 8 {
		inverseLine(b, i, 1, dctBits+passBits+3)
	}
}

// inverseLine transforms a column in the first pass, and a row in the second pass.
func inverseLine(b *[64]int32, at, step int, bits uint) {
	d := func(i int) *int32 { return &b[(at+i*step)&63] }
	if *d(1)|*d(2)|*d(3)|*d(4)|*d(5)|*d(6)|*d(7) == 0 { // a shortcut with the same result
		mean := rounded(*d(0)<<dctBits, bits)
		for i := range 8 {
			*d(i) = mean
		}
		return
	}
	z1 := (*d(2) + *d(6)) * fix0541196100
	t2, t3 := z1-*d(6)*fix1847759065, z1+*d(2)*fix0765366865
	t0, t1 := (*d(0)+*d(4))<<dctBits, (*d(0)-*d(4))<<dctBits
	t10, t13 := t0+t3, t0-t3
	t11, t12 := t1+t2, t1-t2

	t0, t1, t2, t3 = *d(7), *d(5), *d(3), *d(1)
	z1, z2, z3, z4 := t0+t3, t1+t2, t0+t2, t1+t3
	z5 := (z3 + z4) * fix1175875602
	t0 *= fix0298631336
	t1 *= fix2053119869
	t2 *= fix3072711026
	t3 *= fix1501321110
	z1 *= -fix0899976223
	z2 *= -fix2562915447
	z3 = z3*-fix1961570560 + z5
	z4 = z4*-fix0390180644 + z5
	t0 += z1 + z3
	t1 += z2 + z4
	t2 += z2 + z3
	t3 += z1 + z4
	*d(0), *d(7) = rounded(t10+t3, bits), rounded(t10-t3, bits)
	*d(1), *d(6) = rounded(t11+t2, bits), rounded(t11-t2, bits)
	*d(2), *d(5) = rounded(t12+t1, bits), rounded(t12-t1, bits)
	*d(3), *d(4) = rounded(t13+t0, bits), rounded(t13-t0, bits)
}
