// Package mujoco simulates robots with legs on MuJoCo, together with robots on wheels and obstacles. Package play adds
// the ball.
//
// The package loads libmujoco at run time, and needs none of its headers, so that programs are built and run without
// it. It writes one MJCF text for the whole model, with the frames of package physics, and steps it by parts of the
// model's step. The only state outside of an engine are MuJoCo's two handlers of errors and warnings, which every call
// directs to itself. Engines are independent of each other, and each belongs to one goroutine at a time, on any thread.
// The same model and commands give bit-identical snapshots with the same version of libmujoco, and a restored state
// continues with the same bits.
//
// # Robots with legs
//
// At the drive level "joints" (physics.JointsDrive) the robot's trunk moves freely. A joint's motor is an actuator of
// MuJoCo whose force is P·(q* − q) + D·(q̇* − q̇), within the joint's largest effort; q* and q̇* stay the same during a
// step of the model. Where D would make the motion unstable, MuJoCo integrates it as damping of the joint.
//
// # Robots on wheels
//
// At the level "chassis" a robot stays upright. Its velocity is set before each step; contacts change it during the
// step. Its joints move as those of robots with legs do. A robot at level "walk" moves in the same way, but package
// play moves its joints, and lets it sway and fall.
package mujoco
