package dataset

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// FuzzFrame checks that no line makes the reader of the index panic, and that frames which are read can be written as
// COCO and YOLO.
func FuzzFrame(f *testing.F) {
	f.Add([]byte(`{"frame":0,"file":"images/train/0000000.png","part":"train","width_px":4,"height_px":3,"objects":[{"category":"ball","box_px":[1,1,2,2],"rle":[4,2,1,2,3],"keypoints":[[1,1,2]]}]}`))
	f.Add([]byte(`{"frame":0,"file":"i","part":"train"}`))
	f.Add([]byte(`{"frame":0,"part":"../train","objects":[{"category":"cat"}]}`))
	f.Add([]byte("{"))
	f.Fuzz(func(t *testing.T, text []byte) {
		x, err := parseFrame(text, 0, Categories)
		if err != nil {
			return
		}
		yoloLines(x, Categories)
		for i := range x.Objects {
			if len(x.Objects[i].Runs) < 1000 {
				x.Objects[i].coco(x, 1, Categories)
			}
		}
	})
}

// TestOpenCVReads checks the image files with OpenCV. Boxes around object numbers must equal those of the index, depths
// must fit the pose of the ball, flow must be known where there is a surface, and classes must be names.
func TestOpenCVReads(t *testing.T) {
	const python = "/usr/bin/python3" // another python on the PATH has no OpenCV
	if err := exec.Command(python, "-c", "import cv2, numpy").Run(); err != nil {
		t.Skip("no OpenCV: apt-get install python3-opencv")
	}
	out := t.TempDir()
	must.Get(made(t, out, func(c *Config) { c.PerScene, c.Frames, c.Cameras = 6, 6, c.Cameras[:1] }))(t)
	program := filepath.Join(t.TempDir(), "read.py")
	text := `
import cv2, json, sys, numpy as np
out, objects, balls = sys.argv[1] + "/", 0, 0
names = json.load(open(out + "dataset.json"))["pixel_classes"]
for f in map(json.loads, open(out + "frames.jsonl")):
    read = lambda kind: cv2.imread(out + f["file"].replace("images", kind, 1), cv2.IMREAD_UNCHANGED)
    numbers, classes, depth, normals = read("instances"), read("classes"), read("depth"), cv2.imread(out + f["file"].replace("images", "normals", 1))
    flow = read("flow")[..., ::-1]
    assert numbers.dtype == np.uint16 and classes.dtype == np.uint8 and depth.dtype == np.uint16 and flow.dtype == np.uint16, f["file"]
    assert cv2.imread(out + f["file"]).shape == normals.shape == (f["height_px"], f["width_px"], 3), f["file"]
    assert set(np.unique(numbers)) <= set(range(len(f["objects"]) + 1)), f["file"]
    assert ((flow[..., 2] == 1) == (flow[..., 0] > 0)).all(), f["file"]
    for o in f["objects"]:
        mask = (numbers == o["instance"]).astype(np.uint8)
        assert list(cv2.boundingRect(mask)) == o["box_px"] and int(mask.sum()) == o["pixels"], o
        assert {names[str(c)] for c in np.unique(classes[mask > 0])} == {o["category"]}, o
        objects += 1
        if o["name"] == "ball" and o["visible"] == 1 and not o["cut"]:
            near = depth[mask > 0].min() / 1000
            assert 0.05 < o["pose_c"]["position_m"][2] - near < 0.12, (near, o)
            balls += 1
print(objects, balls)
assert objects > 20 and balls > 1
`
	must.Do(t, os.WriteFile(program, []byte(text), 0o600))
	var said bytes.Buffer
	c := exec.Command(python, program, out)
	c.Stdout, c.Stderr = &said, &said
	if err := c.Run(); err != nil {
		t.Errorf("%v: %s", err, &said)
	}
}

// processorTime returns the processor time of the process on all cores.
func processorTime() time.Duration {
	var r syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// BenchmarkDataset makes images of 640 × 480 pixels with all labels, from scenes of 60 moments as by default. It
// reports milliseconds of processor time per image.
func BenchmarkDataset(b *testing.B) {
	w, err := worlds.Load("vision-training")
	must.Do(b, err)
	frames := 0
	begun := processorTime()
	for b.Loop() {
		c := Config{
			World: w, Name: "vision-training", Frames: 120, PerScene: 60, Split: [3]float64{0.8, 0.1, 0.1},
			Formats: Formats, Cameras: []string{"cyan1.front"},
			Level: abstraction.Raw, Renderer: "auto", Jobs: 2, Status: func(string) {},
		}
		out, err := os.MkdirTemp("", "dataset")
		must.Do(b, err)
		must.Get(c.Make(context.Background(), out))(b)
		frames += c.Frames
		os.RemoveAll(out)
	}
	b.ReportMetric((processorTime()-begun).Seconds()*1e3/float64(frames), "cpu-ms/frame")
}
