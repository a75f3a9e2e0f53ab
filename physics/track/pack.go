package track

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// A column of residuals is packed with a fixed number of bits each, and what is longer follows as patches: the widths
// of residuals differ from column to column, and little within one. Source: M. Zukowski et al., Super-scalar RAM-CPU
// cache compression, 2006 (patched frame of reference).

// maxWidth is the largest number of bits of a packed residual.
const maxWidth = 63

// patchBits is about how many bits a patch takes besides those that do not fit.
const patchBits = 13

// bestWidth returns the number of bits with which residuals take least room.
func bestWidth(values []uint64) int {
	var lengths [65]int
	longest := 0
	for _, v := range values {
		n := bits.Len64(v)
		lengths[n]++
		longest = max(longest, n)
	}
	best, width := 0, longest
	// with one bit less, patches so far take one more each, and the longest of the others become patches
	cost, over := 0, 0
	for w := longest; w > 0; w-- {
		cost += over + patchBits*lengths[w] - len(values)
		over += lengths[w]
		if cost < best || w > maxWidth {
			best, width = cost, w-1
		}
	}
	return width
}

// appendPacked appends residuals of a width: the low bits of all, how many patches there are, and of each patch how
// many values it skips and the high bits.
func appendPacked(out []byte, values []uint64, width int) []byte {
	mask := uint64(1)<<width - 1
	var held uint64 // bits not yet appended
	n := 0          // how many
	patches := 0
	for _, v := range values {
		if v > mask {
			patches++
		}
		v &= mask
		held |= v << n
		if n += width; n >= 64 {
			out = binary.LittleEndian.AppendUint64(out, held)
			n -= 64
			held = v >> (width - n) // a shift by 64 or more is 0
		}
	}
	for ; n > 0; n -= 8 {
		out = append(out, byte(held))
		held >>= 8
	}
	out = binary.AppendUvarint(out, uint64(patches))
	last := 0
	for i, v := range values {
		if v > mask {
			out = binary.AppendUvarint(out, uint64(i-last))
			out = binary.AppendUvarint(out, v>>width)
			last = i + 1
		}
	}
	return out
}

// packed sets values to what appendPacked has appended.
func (p *parser) packed(values []uint64, width int) {
	in := p.bytes((len(values)*width + 7) / 8)
	if p.err != nil {
		return
	}
	mask := uint64(1)<<width - 1
	var held uint64
	n := 0
	for i := range values {
		v := held
		if n < width {
			more, had := uint64(0), n
			if len(in) >= 8 {
				more, in, n = binary.LittleEndian.Uint64(in), in[8:], n+64
			} else {
				for k, b := range in {
					more |= uint64(b) << (8 * k)
				}
				n, in = n+8*len(in), nil
			}
			v |= more << had
			held = more >> (width - had)
		} else {
			held >>= width
		}
		n -= width
		values[i] = v & mask
	}
	at := 0
	for range p.count(len(values)) {
		skip := p.count(len(values))
		high := p.uvarint()
		if at += skip; p.err != nil || at >= len(values) {
			p.fail(fmt.Sprintf("a large number in row %d of %d", at, len(values)))
			return
		}
		values[at] |= high << width
		at++
	}
}
