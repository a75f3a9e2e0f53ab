package optics

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// The oracle is OpenCV: projectPoints of the module after which a model is named must give the same pixels for 10,000
// random points. OpenCV does not say which points a model cannot image, so only points that our model sees are
// compared.
func TestOpenCVSeesTheSame(t *testing.T) {
	const python = "/usr/bin/python3" // another python on the PATH has no OpenCV
	if testing.Short() {
		t.Skip("short: starts python")
	}
	if err := exec.Command(python, "-c", "import cv2; cv2.omnidir").Run(); err != nil {
		t.Skip("no OpenCV with omnidir: apt-get install python3-opencv")
	}
	const points, seed = 10_000, 4
	all := models()
	for name, call := range map[string]func(m Model) string{
		"pinhole":  func(m Model) string { return cv2Pinhole(m.(Pinhole), Distortion{}) },
		"brown":    func(m Model) string { return cv2Pinhole(m.(BrownConrady).Pinhole, m.(BrownConrady).Distortion) },
		"rational": func(m Model) string { return cv2Pinhole(m.(BrownConrady).Pinhole, m.(BrownConrady).Distortion) },
		"barrel":   func(m Model) string { return cv2Pinhole(m.(BrownConrady).Pinhole, m.(BrownConrady).Distortion) },
		"fisheye": func(m Model) string {
			k := m.(KannalaBrandt)
			return fmt.Sprintf("cv2.fisheye.projectPoints(p, z, z, %s, np.array([%v, %v, %v, %v], dtype=float))[0]",
				matrix(k.Pinhole, 0), k.K1, k.K2, k.K3, k.K4)
		},
		"mei":    func(m Model) string { return cv2Omnidir(m.(Unified)) },
		"mirror": func(m Model) string { return cv2Omnidir(m.(Unified)) },
	} {
		t.Run(name, func(t *testing.T) {
			m := all[name]
			random := rand.New(rand.NewPCG(seed, 0))
			var seen [][3]float64
			var want [][2]float64
			for len(seen) < points {
				p := mgl64.Vec3{random.NormFloat64(), random.NormFloat64(), random.NormFloat64()}
				if name == "fisheye" && p[2] < 0.01*p.Len() {
					continue // OpenCV's formula is invalid there
				}
				if u, v, ok := m.Project(p); ok && Inside(m, u, v) {
					seen, want = append(seen, p), append(want, [2]float64{u, v})
				}
			}
			in := must.Get(json.Marshal(seen))(t)
			cmd := exec.Command(python, "-c", `
import sys, json, cv2, numpy as np
p = np.array(json.load(sys.stdin)).reshape(-1, 1, 3)
z = np.zeros(3)
json.dump(`+call(m)+`.reshape(-1, 2).tolist(), sys.stdout)`)
			cmd.Stdin = bytes.NewReader(in)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, stderr.String())
			}
			var got [][2]float64
			if err := json.Unmarshal(out, &got); err != nil || len(got) != points {
				t.Fatalf("%d answers, %v", len(got), err)
			}
			worst := 0.0
			for i := range got {
				worst = math.Max(worst, math.Hypot(got[i][0]-want[i][0], got[i][1]-want[i][1]))
			}
			t.Logf("seed %d: %d points: largest difference %.2g px", seed, points, worst)
			if !(worst <= 1e-6) {
				t.Errorf("OpenCV projects a point %.3g px from our pixel: must be at most 1e-6", worst)
			}
		})
	}
}

func matrix(p Pinhole, skew float64) string {
	return fmt.Sprintf("np.array([[%v, %v, %v], [0, %v, %v], [0, 0, 1.0]])", p.FX, skew, p.CX, p.FY, p.CY)
}

func cv2Pinhole(p Pinhole, d Distortion) string {
	return fmt.Sprintf("cv2.projectPoints(p, z, z, %s, np.array([%v, %v, %v, %v, %v, %v, %v, %v], dtype=float))[0]",
		matrix(p, 0), d.K1, d.K2, d.P1, d.P2, d.K3, d.K4, d.K5, d.K6)
}

func cv2Omnidir(m Unified) string {
	d := m.Distortion
	return fmt.Sprintf("cv2.omnidir.projectPoints(p, z, z, %s, %v, np.array([%v, %v, %v, %v], dtype=float))[0]",
		matrix(m.Pinhole, m.Skew), m.Xi, d.K1, d.K2, d.P1, d.P2)
}
