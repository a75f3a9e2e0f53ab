package calibration

import (
	"encoding/binary"
	"io"
	"math"
	"path/filepath"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// table holds a value for every square centimetre of a field and of a border 1 m wide around it, in rows of equal y.
type table struct {
	columns, rows int
	values        []float64
}

// newTable tabulates f(x, y), metres from the field's centre.
func newTable(length, width float64, f func(x, y float64) float64) *table {
	const around = 1 // metres, as the node assumes
	const perMetre = 100
	t := &table{columns: int(math.Round(perMetre*(length+2*around))) + 1,
		rows: int(math.Round(perMetre*(width+2*around))) + 1}
	for j := range t.rows {
		for i := range t.columns {
			t.values = append(t.values, f((float64(i)-float64(t.columns-1)/2)/perMetre,
				(float64(j)-float64(t.rows-1)/2)/perMetre))
		}
	}
	return t
}

// at returns the value of the cell in column i and row j; cells beyond the edges have the value of the nearest cell at
// the edge.
func (t *table) at(i, j int) float64 {
	return t.values[min(max(j, 0), t.rows-1)*t.columns+min(max(i, 0), t.columns-1)]
}

// nearby returns a function that takes a point and lists the marks that may be nearest to it. The function works by
// squares with a side of 0.25 m: for each square it caches the marks that may be nearest to any point in the square.
func nearby(marks []spatial.Mark) func(x, y float64) []*spatial.Mark {
	const side = 0.25
	squares := map[[2]int][]*spatial.Mark{}
	return func(x, y float64) []*spatial.Mark {
		square := [2]int{int(math.Floor(x / side)), int(math.Floor(y / side))}
		near, ok := squares[square]
		if !ok {
			cx, cy := (float64(square[0])+0.5)*side, (float64(square[1])+0.5)*side
			nearest := math.Inf(1)
			for i := range marks {
				nearest = math.Min(nearest, marks[i].Distance(cx, cy))
			}
			for i := range marks {
				// Relative to the square's centre, a corner may be half a diagonal nearer to one mark and farther from
				// another.
				if marks[i].Distance(cx, cy) <= nearest+math.Sqrt2*side {
					near = append(near, &marks[i])
				}
			}
			squares[square] = near
		}
		return near
	}
}

func writeTables(files *Files, dir string, marks []spatial.Mark, length, width float64) error {
	near := nearby(marks)
	distance := newTable(length, width, func(x, y float64) float64 {
		nearest := math.Inf(1)
		for _, m := range near(x, y) {
			nearest = math.Min(nearest, m.Distance(x, y))
		}
		return 100 * nearest
	})
	for _, file := range []struct {
		name  string
		value func(i, j int) float64
	}{
		{"errortable.bin", distance.at},
		{"Diff_X.bin", func(i, j int) float64 { return (distance.at(i+1, j) - distance.at(i-1, j)) / 2 }},
		{"Diff_Y.bin", func(i, j int) float64 { return (distance.at(i, j+1) - distance.at(i, j-1)) / 2 }},
	} {
		err := files.Write(filepath.Join(dir, file.name), func(w io.Writer) error {
			var bytes [8]byte
			for j := range distance.rows {
				for i := range distance.columns {
					binary.LittleEndian.PutUint64(bytes[:], math.Float64bits(file.value(i, j)))
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
