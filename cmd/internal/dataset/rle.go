package dataset

// runs are COCO's run-length encoding of a mask: alternating numbers of pixels outside and inside, column by column
// from the top left. Numbers are the uncompressed form.
type runs []int

// maskRuns returns the runs of the pixels with a code, all of which must be within a box (x, y, width, height).
func maskRuns(codes []uint16, width, height int, code uint16, box [4]int) runs {
	var all runs
	end := 0 // pixel index after the last run
	for x := box[0]; x < box[0]+box[2]; x++ {
		for y := box[1]; y < box[1]+box[3]; y++ {
			if codes[y*width+x] != code {
				continue
			}
			start := x*height + y
			for y+1 < box[1]+box[3] && codes[(y+1)*width+x] == code {
				y++
			}
			n := x*height + y + 1 - start
			if start == end && len(all) > 0 { // continues from the foot of one column to the head of the next
				all[len(all)-1] += n
			} else {
				all = append(all, start-end, n)
			}
			end = start + n
		}
	}
	if rest := width*height - end; rest > 0 || len(all) == 0 {
		all = append(all, rest)
	}
	return all
}

// text returns the compressed form. From the fourth count on, the difference to the count two before is stored. Each
// number is written in groups of five bits, lowest first, as characters from '0'; the sixth bit means that more follow.
// Source: COCO API, common/maskApi.c, rleToString.
func (r runs) text() string {
	var out []byte
	for i, count := range r {
		x := count
		if i > 2 {
			x -= r[i-2]
		}
		for more := true; more; {
			c := x & 0x1f
			x >>= 5
			if more = x != 0; c&0x10 != 0 {
				more = x != -1
			}
			if more {
				c |= 0x20
			}
			out = append(out, byte(c)+48)
		}
	}
	return string(out)
}
