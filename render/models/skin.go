package models

import (
	"fmt"

	"github.com/go-gl/mathgl/mgl64"
)

// skin binds the vertices of a part to the joints of a skin. Joints are where their nodes are: animations are left out.
func (b *builder) skin(index int, p *primitive, out *part) error {
	s, err := at(b.doc.Skins, index, "skin")
	if err != nil {
		return err
	}
	for set := 0; ; set++ {
		joints, err := b.stream(p, fmt.Sprintf("JOINTS_%d", set), joints, nil, out.positions.count)
		if err != nil {
			return err
		}
		weights, err := b.stream(p, fmt.Sprintf("WEIGHTS_%d", set), weights, nil, out.positions.count)
		if err != nil {
			return err
		}
		if joints.elements == nil && weights.elements == nil && set > 0 {
			break
		}
		if joints.elements == nil || weights.elements == nil {
			return fmt.Errorf("has no JOINTS_%d or no WEIGHTS_%d: must have both for skin %d", set, set, index)
		}
		out.joints, out.weights = append(out.joints, joints.elements), append(out.weights, weights.elements)
	}
	if b.placed {
		out.bones, err = b.bonesOf(index, s)
	}
	if err != nil {
		return fmt.Errorf("skin %d: %w", index, err)
	}
	return nil
}

// bonesOf returns, for each joint, the transformation from the mesh's frame at the time of binding to the group's
// frame.
func (b *builder) bonesOf(index int, s *skin) ([]mgl64.Mat4, error) {
	if bones := b.bones[index]; bones != nil {
		return bones, nil
	}
	var inverse *elements
	if s.InverseBindMatrices != nil {
		var err error
		if inverse, err = b.elements(*s.InverseBindMatrices, matrices); err != nil {
			return nil, err
		}
		if inverse.count < len(s.Joints) {
			return nil, fmt.Errorf("%d inverse bind matrices: there are %d joints", inverse.count, len(s.Joints))
		}
	}
	bones := make([]mgl64.Mat4, len(s.Joints))
	for i, joint := range s.Joints {
		pose, ok := b.poses[joint]
		if !ok {
			return nil, fmt.Errorf("joint %d: must be a node of the scene", joint)
		}
		bones[i] = pose
		if inverse != nil {
			var m mgl64.Mat4
			inverse.read(i, m[:])
			bones[i] = pose.Mul4(m)
		}
	}
	b.bones[index] = bones
	return bones, nil
}

// frame returns the transformation of a vertex from the mesh's frame to the group's: that of the node or, for a skinned
// mesh, the mean of its joints' by their weights.
func (p *part) frame(i int) (m mgl64.Mat4, err error) {
	if p.bones == nil {
		return p.atW, nil
	}
	var sum float64
	for set := range p.joints {
		var joint, weight mgl64.Vec4
		p.joints[set].read(i, joint[:])
		p.weights[set].read(i, weight[:])
		for k, w := range weight {
			if w == 0 {
				continue
			}
			if int(joint[k]) >= len(p.bones) {
				return m, fmt.Errorf("vertex %d: joint %v: its skin has %d", i, joint[k], len(p.bones))
			}
			if !(w > 0) { // also false for NaN
				return m, fmt.Errorf("vertex %d: weight %v of a joint: must not be negative", i, w)
			}
			m, sum = m.Add(p.bones[int(joint[k])].Mul(w)), sum+w
		}
	}
	if !(sum > 0) {
		return m, fmt.Errorf("vertex %d: the weights of its joints sum to 0: must sum to 1", i)
	}
	return m.Mul(1 / sum), nil // removes the rounding of their sum
}
