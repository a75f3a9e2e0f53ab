package output

import (
	"fmt"
	"io"

	"github.com/omnipitch/omnipitch/sensors"
)

// writeCloud writes a point cloud as a binary file of the Point Cloud Library. Source: "The PCD (Point Cloud Data) file
// format", version 0.7.
func (o *Folder) writeCloud(name string, p *sensors.PointCloud) error {
	text := fmt.Appendf(nil, "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\n"+
		"FIELDS x y z intensity ring time\nSIZE 4 4 4 4 2 4\nTYPE F F F F U F\nCOUNT 1 1 1 1 1 1\n"+
		"WIDTH %d\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS %d\nDATA binary\n", len(p.Points), len(p.Points))
	return o.write(name, func(w io.Writer) error {
		_, err := w.Write(p.AppendXYZIRT(text))
		return err
	})
}
