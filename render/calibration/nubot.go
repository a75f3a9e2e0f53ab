package calibration

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// The grid of team NuBot's tables of the field: 1 cm, row-major in y, 20 m × 14 m and its far edges.
const (
	tableStep = 0.01
	tableX    = 2001
	tableY    = 1401
)

// WriteNuBot writes the files that team NuBot's omni-vision node reads to localise itself into a folder, which it creates:
// AGENT/mirror_calib.xml and AGENT/ROI.xml of the camera; and errortable.bin, Diff_X.bin and Diff_Y.bin of the field, the distance to the
// nearest line and its derivatives along x and y. Distances in the tables are centimetres, a guess after the team's messages. The image's
// inner circle covers the robot itself.
func WriteNuBot(dir, agent string, g Ground, marks []spatial.Mark) error {
	folder := filepath.Join(dir, agent)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	const ownRadius = 0.35 // radius of the floor that the robot itself hides in its mirror, metres. Guess
	small := math.Atan(ownRadius/g.A) / g.B
	row, col := int(math.Round(g.CenterRow)), int(math.Round(g.CenterColumn))
	big := min(int(g.MaxRadius), row, g.Height-1-row, col, g.Width-1-col)
	for name, fields := range map[string][]field{
		"mirror_calib.xml": {
			{"center_coloum", g.CenterColumn}, {"center_row", g.CenterRow}, {"para_a", g.A}, {"para_b", g.B},
			{"correction_x", 0.0}, {"correction_y", 0.0}, {"max_radius", g.MaxRadius},
		},
		"ROI.xml": {
			{"start_row", row - big}, {"start_column", col - big}, {"center_point_row", row}, {"center_point_column", col},
			{"big_radius", big}, {"small_radius", int(small)}, {"rows", 2*big + 1}, {"cols", 2*big + 1},
		},
	} {
		if err := write(filepath.Join(folder, name), func(w io.Writer) error { return writeXML(w, fields) }); err != nil {
			return err
		}
	}
	return writeTables(dir, marks)
}

// field is one number of OpenCV's XML storage: an int or a float64.
type field struct {
	name  string
	value any
}

func writeXML(w io.Writer, fields []field) error {
	fmt.Fprint(w, "<?xml version=\"1.0\"?>\n<opencv_storage>\n")
	for _, f := range fields {
		text := fmt.Sprint(f.value)
		if x, ok := f.value.(float64); ok {
			text = numbers("", x)
		}
		fmt.Fprintf(w, "<%s>%s</%s>\n", f.name, text, f.name)
	}
	_, err := fmt.Fprint(w, "</opencv_storage>\n")
	return err
}

func writeTables(dir string, marks []spatial.Mark) error {
	table := make([]float64, tableX*tableY)
	for j := range tableY {
		y := (float64(j) - (tableY-1)/2) * tableStep
		for i := range tableX {
			x := (float64(i) - (tableX-1)/2) * tableStep
			nearest := math.Inf(1)
			for k := range marks {
				nearest = math.Min(nearest, marks[k].Distance(x, y))
			}
			table[j*tableX+i] = 100 * nearest
		}
	}
	at := func(i, j int) float64 { return table[min(max(j, 0), tableY-1)*tableX+min(max(i, 0), tableX-1)] }
	for name, value := range map[string]func(i, j int) float64{
		"errortable.bin": at,
		"Diff_X.bin":     func(i, j int) float64 { return (at(i+1, j) - at(i-1, j)) / 2 },
		"Diff_Y.bin":     func(i, j int) float64 { return (at(i, j+1) - at(i, j-1)) / 2 },
	} {
		err := write(filepath.Join(dir, name), func(w io.Writer) error {
			var bytes [8]byte
			for j := range tableY {
				for i := range tableX {
					binary.LittleEndian.PutUint64(bytes[:], math.Float64bits(value(i, j)))
					if _, err := w.Write(bytes[:]); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// write writes a file through a buffer.
func write(path string, f func(io.Writer) error) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if closed := file.Close(); err == nil {
			err = closed
		}
	}()
	w := bufio.NewWriter(file)
	if err := f(w); err != nil {
		return err
	}
	return w.Flush()
}
