package dataset

import (
	"bytes"
	"fmt"
)

// writeYOLO writes the file that gives Ultralytics' YOLO the paths of images and the names of classes. Paths are
// relative to the file's folder.
func (o *folder) writeYOLO() error {
	var out bytes.Buffer
	for _, part := range Parts {
		fmt.Fprintf(&out, "%s: images/%s\n", part, part)
	}
	fmt.Fprintln(&out, "names:")
	for i := range Categories {
		fmt.Fprintf(&out, "  %d: %s\n", Categories[i].ID-1, Categories[i].Name)
	}
	for _, part := range Parts { // all folders exist, possibly without images
		if err := o.root.MkdirAll("images/"+part, 0o755); err != nil {
			return err
		}
	}
	return o.write("data.yaml", out.Bytes())
}
