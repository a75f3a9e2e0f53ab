#ifndef OMNIPITCH_PLAIN_H
#define OMNIPITCH_PLAIN_H

typedef struct plain plain;

plain *plain_new(int robots);
void plain_step(plain *p, double dt);
void plain_place(const plain *p, int robot, double at[2]);
void plain_free(plain *p);

#endif
