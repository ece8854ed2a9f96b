//! Wide graphs whose matrices are nearly all zero: read as they are meant, and no larger than what is not zero.

use super::*;
use crate::FloatNetwork;

const WIDTH: usize = 200;

struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % n
    }

    /// Whole numbers, a few per row; zeros of both signs elsewhere.
    fn matrix(&mut self, rows: usize, columns: usize) -> Vec<f32> {
        let mut matrix: Vec<f32> = (0..rows * columns).map(|_| if self.below(2) == 0 { 0.0 } else { -0.0 }).collect();
        for row in 0..rows {
            for _ in 0..4 {
                matrix[row * columns + self.below(columns)] = [-1.0, 1.0, 2.0][self.below(3)];
            }
        }
        matrix
    }

    fn vector(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| f64::from(u8::try_from(self.below(7)).unwrap()) - 3.0).collect()
    }
}

/// `x W`.
fn product(x: &[f64], w: &[f32]) -> Vec<f64> {
    let columns = w.len() / x.len();
    (0..columns).map(|j| x.iter().enumerate().map(|(i, x)| x * f64::from(w[i * columns + j])).sum()).collect()
}

fn transposed(w: &[f32], columns: usize) -> Vec<f32> {
    (0..columns).flat_map(|column| w.iter().skip(column).step_by(columns)).copied().collect()
}

fn same(network: &Network, x: &[f64], expected: &[f64]) {
    let floats = FloatNetwork::new(network);
    let mut scratch = floats.scratch();
    assert_eq!(floats.eval(x, 0.0, &mut scratch).values, expected);
}

#[test]
fn every_form_of_a_product_is_read() {
    let mut numbers = Numbers(7);
    let side = i64::try_from(WIDTH).unwrap();
    let w = numbers.matrix(WIDTH, WIDTH);
    let bias: Vec<f32> = (0..200u8).map(|i| f32::from(i) - 100.0).collect();
    let flipped = transposed(&w, WIDTH);
    let x = numbers.vector(WIDTH);
    let expected: Vec<f64> = product(&x, &w).iter().zip(&bias).map(|(y, b)| (y + f64::from(*b)).max(0.0)).collect();
    let base = || Graph::new(&[None, Some(side)]).constant(floats("b", &[side], &bias));
    let plain = || base().constant(floats("w", &[side, side], &w));
    let other = || base().constant(floats("w", &[side, side], &flipped));
    let mut raw = floats("w", &[side, side], &w);
    raw.raw_data = std::mem::take(&mut raw.float_data).iter().flat_map(|x| x.to_le_bytes()).collect();
    let graphs = [
        plain().node("MatMul", &["x", "w"], "p", vec![]),
        base().constant(raw).node("MatMul", &["x", "w"], "p", vec![]),
        other().node("Transpose", &["w"], "v", vec![]).node("MatMul", &["x", "v"], "p", vec![]),
        plain().node("Identity", &["w"], "v", vec![]).node("Gemm", &["x", "v"], "p", vec![]),
        other().node("Gemm", &["x", "w"], "p", vec![int("transB", 1)]),
        // Other operators see all entries.
        plain()
            .constant(floats("half", &[], &[0.5]))
            .constant(floats("two", &[1, 1], &[2.0]))
            .node("Mul", &["w", "half"], "u", vec![])
            .node("Mul", &["u", "two"], "v", vec![])
            .node("MatMul", &["x", "v"], "p", vec![]),
        plain().constant(ints("shape", &[side, -1])).node("Reshape", &["w", "shape"], "v", vec![]).node(
            "MatMul",
            &["x", "v"],
            "p",
            vec![],
        ),
    ];
    let mut known: Option<Network> = None;
    for graph in graphs {
        let network = graph.node("Add", &["p", "b"], "s", vec![]).node("Relu", &["s"], "y", vec![]).read("y").unwrap();
        assert_eq!(network.layers().len(), 1);
        assert!(network.layers()[0].is_sparse());
        same(&network, &x, &expected);
        assert!(known.get_or_insert_with(|| network.clone()).same_parameters(&network));
    }
    // A column on the other side.
    let column = Graph::new(&[Some(side), Some(1)]).constant(floats("w", &[side, side], &flipped));
    let network = column.node("MatMul", &["w", "x"], "y", vec![]).read("y").unwrap();
    assert!(network.layers()[0].is_sparse());
    same(&network, &x, &product(&x, &w));
}

#[test]
fn chains_scales_skips_and_dead_neurons() {
    let mut numbers = Numbers(11);
    let side = i64::try_from(WIDTH).unwrap();
    let (first, mut second) = (numbers.matrix(WIDTH, WIDTH), numbers.matrix(WIDTH, WIDTH));
    // A neuron of the second layer that reads nothing, and one of the first that nothing reads.
    (0..WIDTH).for_each(|row| second[row * WIDTH + 5] = 0.0);
    second[9 * WIDTH..10 * WIDTH].fill(0.0);
    let base = || {
        Graph::new(&[None, Some(side)])
            .constant(floats("v", &[side, side], &first))
            .constant(floats("w", &[side, side], &second))
            .constant(floats("two", &[1], &[2.0]))
            .node("MatMul", &["x", "v"], "a", vec![])
            .node("Relu", &["a"], "h", vec![])
    };
    let chain = base().node("MatMul", &["h", "w"], "c", vec![]).node("Relu", &["c"], "y", vec![]).read("y").unwrap();
    assert_eq!(chain.layers().len(), 2, "the layers of the file");
    assert!(chain.layers().iter().all(|layer| layer.is_sparse() && layer.output_len() == WIDTH));
    assert_eq!(chain.layers()[1].terms(5).count(), 0);
    let scaled = base()
        .node("Mul", &["h", "two"], "d", vec![])
        .node("MatMul", &["d", "w"], "c", vec![])
        .node("Relu", &["c"], "y", vec![])
        .read("y")
        .unwrap();
    let skip = base()
        .node("MatMul", &["h", "w"], "c", vec![])
        .node("Add", &["c", "h"], "s", vec![])
        .node("Sub", &["s", "x"], "t", vec![])
        .node("Relu", &["t"], "y", vec![])
        .read("y")
        .unwrap();
    assert!(skip.layers().iter().all(crate::Layer::is_sparse));
    let kept: usize = skip.layers().iter().map(crate::Layer::nonzeros).sum();
    assert!(kept < 20 * WIDTH, "{kept} weights are kept");
    for _ in 0..10 {
        let x = numbers.vector(WIDTH);
        let h: Vec<f64> = product(&x, &first).iter().map(|a| a.max(0.0)).collect();
        let c = product(&h, &second);
        same(&chain, &x, &c.iter().map(|c| c.max(0.0)).collect::<Vec<_>>());
        same(&scaled, &x, &c.iter().map(|c| (2.0 * c).max(0.0)).collect::<Vec<_>>());
        let skipped = c.iter().zip(&h).zip(&x).map(|((c, h), x)| (c + h - x).max(0.0));
        same(&skip, &x, &skipped.collect::<Vec<_>>());
    }
}

#[test]
fn what_is_written_is_read_again() {
    let mut numbers = Numbers(13);
    let layers = (0..3).map(|_| {
        let weights = numbers.matrix(1000, 1000).iter().map(|w| f64::from(*w)).collect();
        crate::Layer::new(1000, weights, numbers.vector(1000), Activation::Relu).unwrap()
    });
    let network = Network::new(layers.collect()).unwrap();
    let back = from_bytes(&super::super::write(&network).unwrap(), &ReadOptions::default(), None).unwrap();
    assert!(back.same_parameters(&network));
    let kept: usize = back.layers().iter().map(crate::Layer::nonzeros).sum();
    assert!(back.layers().iter().all(crate::Layer::is_sparse) && kept <= 3 * 4 * 1000, "{kept} weights are kept");
}

#[test]
fn one_of_several_observations_reads_its_own_inputs() {
    let mut numbers = Numbers(17);
    let side = i64::try_from(WIDTH).unwrap();
    let w = numbers.matrix(WIDTH, WIDTH);
    let graph = Graph::new(&[Some(3), Some(side)]).constant(floats("w", &[side, side], &w));
    let network = graph.node("MatMul", &["x", "w"], "y", vec![]).read("y").unwrap();
    assert_eq!((network.input_len(), network.output_len()), (WIDTH, WIDTH));
    assert!(network.layers()[0].is_sparse());
    let x = numbers.vector(WIDTH);
    same(&network, &x, &product(&x, &w));
}
