% A second discontinuous Galerkin solver of Maxwell's equations, to compare with: reads what 12_maxwell --dump wrote, computes
% the same from the mesh, order, flux, integrator and step in it, and prints the largest difference of the fields.
%
%   octave-cli --quiet reference.m DUMP
%
% Everything is done in another way than in the C++ program: integrals are sums over Gauss points in each tetrahedron and on
% each face as they lie in space, there is no reference element and nodes of neighbours are not matched; the weak form is used
% (all derivatives on test functions, fluxes instead of jumps); and the whole mesh is one sparse matrix.
1;

% What is in the file.
function d = read_dump(path)
  file = fopen(path);
  if file < 0
    error('%s: cannot be read', path);
  end
  for name = {'order', 'upwind', 'leapfrog', 'step', 'steps'}
    d.(name{1}) = fscanf(file, [' ' name{1} ' %f'], 1);
  end
  for axis = 1:3
    line = fscanf(file, ' mode %f %f %f', 3);
    d.k(axis) = line(1);
    d.amplitude(axis) = line(2);
    d.corner(axis) = line(3);
  end
  d.points = fscanf(file, '%f', [3, fscanf(file, ' points %d', 1)])';
  cells = fscanf(file, '%f', [6, fscanf(file, ' tetrahedra %d', 1)])';
  d.corners = cells(:, 1:4) + 1;
  d.permittivity = cells(:, 5);
  d.permeability = cells(:, 6);
  d.fields = fscanf(file, '%f', [6, fscanf(file, ' fields %d', 1)])';
  fclose(file);
end

% Gauss points and weights on [0, 1] (Golub and Welsch 1969).
function [x, w] = gauss(n)
  k = 1:n - 1;
  off = k ./ sqrt(4 * k .^ 2 - 1);
  [vectors, values] = eig(diag(off, 1) + diag(off, -1));
  x = (diag(values) + 1) / 2;
  w = vectors(1, :)' .^ 2;
end

% Barycentric points and weights (that add up to 1) on a triangle and on a tetrahedron: squares and cubes, collapsed.
function [l, w] = triangle_points(n)
  [x, g] = gauss(n);
  [u, v] = ndgrid(x, x);
  weights = 2 * (g * g') .* (1 - u);
  l = [u(:), (1 - u(:)) .* v(:)];
  l = [1 - sum(l, 2), l];
  w = weights(:);
end
function [l, w] = tetrahedron_points(n)
  [x, g] = gauss(n);
  [u, v, t] = ndgrid(x, x, x);
  [a, b, c] = ndgrid(g, g, g);
  weights = 6 * a .* b .* c .* (1 - u) .^ 2 .* (1 - v);
  l = [u(:), (1 - u(:)) .* v(:), (1 - u(:)) .* (1 - v(:)) .* t(:)];
  l = [1 - sum(l, 2), l];
  w = weights(:);
end

% Barycentric coordinates of the nodes: the middle; the corners; and the middles of edges.
function b = node_weights(order)
  if order == 0
    b = ones(1, 4) / 4;
  else
    b = eye(4);
    if order == 2
      for i = 1:3
        for j = i + 1:4
          b(end + 1, [i, j]) = 0.5;
        end
      end
    end
  end
end

% Monomials at points, or their derivatives along an axis.
function m = monomials(order, x, axis)
  if nargin < 3
    axis = 0;
  end
  m = [];
  for i = 0:order
    for j = 0:order - i
      for k = 0:order - i - j
        e = [i, j, k];
        factor = 1;
        if axis > 0
          factor = e(axis);
          e(axis) = max(0, e(axis) - 1);
        end
        m(:, end + 1) = factor * x(:, 1) .^ e(1) .* x(:, 2) .^ e(2) .* x(:, 3) .^ e(3);
      end
    end
  end
end

% The basis of a cell, which is 1 at one of its nodes each: middle and size of the cell, and coefficients of monomials.
function basis = basis_of(order, corners)
  basis.order = order;
  basis.middle = mean(corners);
  basis.size = max(max(abs(corners - basis.middle)));
  basis.nodes = node_weights(order) * corners;
  basis.coefficients = inv(monomials(order, (basis.nodes - basis.middle) / basis.size));
end
function values = at_points(basis, x)
  values = monomials(basis.order, (x - basis.middle) / basis.size) * basis.coefficients;
end
function values = derivatives(basis, x, axis)
  values = monomials(basis.order, (x - basis.middle) / basis.size, axis) / basis.size * basis.coefficients;
end

% Entries of a sparse matrix that come block by block.
function list = add_block(list, rows, columns, block)
  [c, r] = meshgrid(columns, rows);
  list.r{end + 1} = r(:);
  list.c{end + 1} = c(:);
  list.v{end + 1} = block(:);
end
function m = assembled(list, n)
  m = sparse(n, n);
  if isfield(list, 'r')
    m = sparse(vertcat(list.r{:}), vertcat(list.c{:}), vertcat(list.v{:}), n, n);
  end
end
function list = empty_list()
  list = struct('r', {{}}, 'c', {{}}, 'v', {{}});
end

% The 3n x 3n matrix of v -> a x v, where a(i) is a matrix for each axis.
function m = cross_matrix(a)
  zero = sparse(rows(a{1}), columns(a{1}));
  m = [zero, -a{3}, a{2}; a{3}, zero, -a{1}; -a{2}, a{1}, zero];
end

% dE/dt = EE E + EH H, dH/dt = HE E + HH H for the whole mesh.
function [EE, EH, HE, HH, positions] = operators(d)
  cells = rows(d.corners);
  local = rows(node_weights(d.order));
  n = cells * local;
  [l3, w3] = tetrahedron_points(d.order + 2);
  [l2, w2] = triangle_points(d.order + 2);
  positions = zeros(n, 3);
  bases = cell(cells, 1);
  inverse_mass = empty_list();
  for axis = 1:3
    volume{axis} = empty_list();    % integral of (d phi_i / d axis) phi_j
    of_E{axis} = empty_list();      % on faces: phi_i n_axis E*
    of_H{axis} = empty_list();
    for other = 1:3
      jump_E{axis, other} = empty_list();  % phi_i (n n - 1) (what is behind - what is here) / (Z + Z+)
      jump_H{axis, other} = empty_list();
    end
  end

  faces = zeros(0, 5);
  for c = 1:cells
    x = d.points(d.corners(c, :), :);
    bases{c} = basis_of(d.order, x);
    own = (c - 1) * local + (1:local);
    positions(own, :) = bases{c}.nodes;
    size = abs(det([ones(4, 1), x])) / 6;
    points = l3 * x;
    values = at_points(bases{c}, points);
    weighted = values .* w3 * size;
    inverse_mass = add_block(inverse_mass, own, own, inv(values' * weighted));
    for axis = 1:3
      volume{axis} = add_block(volume{axis}, own, own, derivatives(bases{c}, points, axis)' * weighted);
    end
    for f = 1:4
      faces(end + 1, :) = [sort(d.corners(c, [1:f - 1, f + 1:4])), c, d.corners(c, f)];
    end
  end

  faces = sortrows(faces);
  f = 1;
  while f <= rows(faces)
    pair = double(f < rows(faces) && all(faces(f, 1:3) == faces(f + 1, 1:3)));
    x = d.points(faces(f, 1:3), :);
    points = l2 * x;
    normal = cross(x(2, :) - x(1, :), x(3, :) - x(1, :));
    weights = w2 * norm(normal) / 2;
    normal = normal / norm(normal);
    for side = 0:pair
      here = faces(f + side, 4);
      there = faces(f + pair - side, 4);  % the cell itself at a wall
      outwards = normal;
      if dot(normal, x(1, :) - d.points(faces(f + side, 5), :)) < 0
        outwards = -normal;
      end
      i = (here - 1) * local + (1:local);
      j = (there - 1) * local + (1:local);
      test = at_points(bases{here}, points);
      same = test' * (test .* weights);
      across = test' * (at_points(bases{there}, points) .* weights);
      Z = sqrt(d.permeability([here, there]) ./ d.permittivity([here, there]));
      share_E = [0.5, 0.5];  % of here and there in E* and H*
      share_H = [0.5, 0.5];
      if d.upwind
        share_H = Z' / sum(Z);
        share_E = (1 ./ Z)' / sum(1 ./ Z);
      end
      mirror = 1;
      if ~pair
        mirror = -1;  % E behind a wall
      end
      for axis = 1:3
        of_H{axis} = add_block(of_H{axis}, i, i, outwards(axis) * share_H(1) * same);
        of_H{axis} = add_block(of_H{axis}, i, j, outwards(axis) * share_H(2) * across);
        of_E{axis} = add_block(of_E{axis}, i, i, outwards(axis) * share_E(1) * same);
        of_E{axis} = add_block(of_E{axis}, i, j, mirror * outwards(axis) * share_E(2) * across);
        if d.upwind
          for other = 1:3
            p = outwards(axis) * outwards(other) - (axis == other);
            jump_E{axis, other} = add_block(jump_E{axis, other}, i, i, -p / sum(Z) * same);
            jump_E{axis, other} = add_block(jump_E{axis, other}, i, j, mirror * p / sum(Z) * across);
            jump_H{axis, other} = add_block(jump_H{axis, other}, i, i, -p / sum(1 ./ Z) * same);
            jump_H{axis, other} = add_block(jump_H{axis, other}, i, j, p / sum(1 ./ Z) * across);
          end
        end
      end
    end
    f += 1 + pair;
  end

  for axis = 1:3
    for other = 1:3
      JE{axis, other} = assembled(jump_E{axis, other}, n);
      JH{axis, other} = assembled(jump_H{axis, other}, n);
    end
    D{axis} = assembled(volume{axis}, n);
    NE{axis} = assembled(of_E{axis}, n);
    NH{axis} = assembled(of_H{axis}, n);
  end
  % integral of X . curl(phi e) = phi's gradient x e . X: for each axis, that is - (gradient x X).
  per_node = @(of_cells) kron(of_cells, ones(local, 1));
  mass = assembled(inverse_mass, n);
  by_E = kron(eye(3), spdiags(1 ./ per_node(d.permittivity), 0, n, n) * mass);
  by_H = kron(eye(3), spdiags(1 ./ per_node(d.permeability), 0, n, n) * mass);
  EH = by_E * (cross_matrix(NH) - cross_matrix(D));
  HE = -by_H * (cross_matrix(NE) - cross_matrix(D));
  EE = -by_E * cell2mat(JE);  % n x H* has - n x (n x (E+ - E)) / (Z + Z+) in it
  HH = -by_H * cell2mat(JH);  % - n x E* has - n x (n x (H+ - H)) / (Y + Y+) in it
end

% The standing wave at the nodes.
function [E, H] = wave(d, x, time_of_H)
  s = sin((x - d.corner) .* d.k);
  c = cos((x - d.corner) .* d.k);
  E = d.amplitude .* [c(:, 1) .* s(:, 2) .* s(:, 3), s(:, 1) .* c(:, 2) .* s(:, 3), s(:, 1) .* s(:, 2) .* c(:, 3)];
  shape = [s(:, 1) .* c(:, 2) .* c(:, 3), c(:, 1) .* s(:, 2) .* c(:, 3), c(:, 1) .* c(:, 2) .* s(:, 3)];
  H = -sin(norm(d.k) * time_of_H) / norm(d.k) * cross(d.k, d.amplitude) .* shape;
end

arguments = argv();
d = read_dump(arguments{end});
[EE, EH, HE, HH, positions] = operators(d);
if d.leapfrog
  [E, H] = wave(d, positions, d.step / 2);
  E = E(:);
  H = H(:);
  for step = 1:d.steps
    E += d.step * (EH * H);
    H += d.step * (HE * E);
  end
else
  [E, H] = wave(d, positions, 0);
  u = [E(:); H(:)];
  whole = [EE, EH; HE, HH];
  % Carpenter and Kennedy 1994, NASA TM 109112
  A = [0, -567301805773 / 1357537059087, -2404267990393 / 2016746695238, -3550918686646 / 2091501179385, ...
       -1275806237668 / 842570457699];
  B = [1432997174477 / 9575080441755, 5161836677717 / 13612068292357, 1720146321549 / 2090206949498, ...
       3134564353537 / 4481467310338, 2277821191437 / 14882151754819];
  change = 0 * u;
  for step = 1:d.steps
    for stage = 1:5
      change = A(stage) * change + d.step * (whole * u);
      u += B(stage) * change;
    end
  end
  E = u(1:end / 2);
  H = u(end / 2 + 1:end);
end
found = [reshape(E, [], 3), reshape(H, [], 3)];
printf('%.3e %.3e\n', max(max(abs(found - d.fields))), max(max(abs(found))));
