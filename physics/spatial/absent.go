package spatial

// The poses of absent bodies. The height is far below everything that can move, so it alone says that a body is absent.
// The distance keeps robots and obstacles, which are at most 5 m wide, apart from each other and from the hall.
const (
	absentZ    = -100.0 // m
	absentFrom = 7000.0 // m: x and y of the first body
	absentGap  = 20.0   // m: from one body to the next
	absentRow  = 100    // bodies side by side
)

// Absent returns the pose of a body while it is not in the world. The argument number is that of the body among all
// bodies. No sensor detects an absent body, nothing touches it, and it does not move.
func Absent(number int) Pose {
	p := Planar(absentFrom+absentGap*float64(number%absentRow), absentFrom+absentGap*float64(number/absentRow), 0)
	p.Pos[2] = absentZ
	return p
}

// Absent reports whether p is the pose of a body that is not in the world.
func (p *Pose) Absent() bool { return p.Pos[2] < absentZ/2 }
