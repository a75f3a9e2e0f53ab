package chip

import "github.com/omnipitch/omnipitch/render"

// jpeg applies the losses of JPEG (ITU-T T.81, 4:2:0) to an image: it encodes and decodes the image, without the
// lossless entropy coding. Colour conversion, chroma subsampling and interpolation, and the discrete cosine transforms
// give the same bytes as libjpeg with its default settings (JDCT_ISLOW, fancy upsampling), which OpenCV and most camera
// drivers use.
type jpeg struct {
	width, height int
	luma, chroma  component
	steps         [2]*quantiser // for luma and chroma
}

// component is the luma or a chroma plane. It has stride × rows samples, which form whole blocks. width × height of the
// samples belong to the image.
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

// JPEGSteps returns the quantisation steps of a quality, 1 to 100: those for luma and then those for chroma, each row
// by row.
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

// quantiser holds quantisation steps and multipliers. The transform is scaled by 8, so its results must be divided by 8
// times the step. A multiplication replaces that division: by 2³² over the divisor, rounded up, which is exact for all
// results of the transform.
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

// room returns how many bytes of scratch memory apply needs: three components, and two rows of chroma before
// subsampling.
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

// quantise replaces each block of samples by the samples that a JPEG decoder would restore.
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
