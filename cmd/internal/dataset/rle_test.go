package dataset

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// decodedMask decodes a compressed run-length encoding by its description, and returns a mask, row by row. Each
// character from '0' on has six bits. The lower five are digits of a number, the lowest first, and the sixth is set if
// more follow. The highest bit is the sign. From the fourth number on, each is added to the number two before it.
func decodedMask(width, height int, counts string) ([]bool, error) {
	var all []int
	for at := 0; at < len(counts); {
		number, shift := int64(0), 0
		for {
			if at == len(counts) {
				return nil, errors.New("the counts end within a number")
			}
			c := int64(counts[at]) - '0'
			at++
			if c < 0 || c > 63 || shift > 40 {
				return nil, fmt.Errorf("%q is no character of counts", counts[at-1])
			}
			number |= (c & 31) << shift
			shift += 5
			if c&32 == 0 {
				if c&16 != 0 {
					number -= 1 << shift
				}
				break
			}
		}
		if n := len(all); n > 2 {
			number += int64(all[n-2])
		}
		if number < 0 {
			return nil, fmt.Errorf("a run of %d pixels", number)
		}
		all = append(all, int(number))
	}
	mask, in, at := make([]bool, width*height), false, 0
	for i, n := range all {
		if n == 0 && i > 0 {
			return nil, fmt.Errorf("run %d is empty", i)
		}
		for range n {
			if at == len(mask) {
				return nil, errors.New("the runs go beyond the image")
			}
			mask[at%height*width+at/height] = in
			at++
		}
		in = !in
	}
	if at != len(mask) {
		return nil, fmt.Errorf("the runs are of %d pixels of %d", at, len(mask))
	}
	return mask, nil
}

// TestRunsAreDecoded checks that decoding restores the mask: few and many runs, at borders, empty and full.
func TestRunsAreDecoded(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for try := range 300 {
		w, h := 1+rnd.IntN(40), 1+rnd.IntN(40)
		codes, share := make([]uint16, w*h), rnd.Float64()
		if try < 2 {
			share = float64(try)
		}
		box := [4]int{w, h, -1, -1}
		for i := range codes {
			if rnd.Float64() < share || try%3 == 0 && share > 0 && i > 0 && rnd.Float64() < 0.9 && codes[i-1] == 7 {
				codes[i] = 7
				box = [4]int{min(box[0], i%w), min(box[1], i/w), max(box[2], i%w), max(box[3], i/w)}
			}
		}
		box[2], box[3] = max(box[2]-box[0]+1, 0), max(box[3]-box[1]+1, 0)
		r := maskRuns(codes, w, h, 7, box)
		mask, err := decodedMask(w, h, r.text())
		if err != nil {
			t.Fatalf("%d × %d: %v", w, h, err)
		}
		for i := range mask {
			if mask[i] != (codes[i] == 7) {
				t.Fatalf("%d × %d: pixel %d is %v", w, h, i, mask[i])
			}
		}
	}
}

// TestRunsAreCOCOs compares encodings of some runs with those of COCO's own API (pycocotools).
func TestRunsAreCOCOs(t *testing.T) {
	for _, c := range []struct {
		counts runs
		want   string
	}{
		{runs{100}, "T3"},
		{runs{0, 100}, "0T3"},
		{runs{6, 1, 40, 4, 5, 4, 5, 4, 21}, "61X13mN000`0"},
	} {
		must.Equal(t, c.counts.text(), c.want, "%v", c.counts)
	}
}

// TestRunsAlternate checks the uncompressed form. Runs are numbers that alternate, begin outside the mask, and cover
// all pixels.
func TestRunsAlternate(t *testing.T) {
	codes := []uint16{
		0, 1, 1,
		0, 0, 1,
		0, 1, 0,
	}
	if got, want := maskRuns(codes, 3, 3, 1, [4]int{1, 0, 2, 3}), (runs{3, 1, 1, 3, 1}); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
